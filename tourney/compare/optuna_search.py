"""Samplers of Optuna (extra ``tune``); their draws come from a seed, so the same version searches alike."""

import warnings
from decimal import Decimal
from types import ModuleType

from tourney.bots.catalogue.tunable import exact
from tourney.compare.tuning_methods import CandidateSearch, SearchTerms, Values, grid_size
from tourney.errors import UsageError, import_extra
from tourney.seeds import derive


class OptunaSearch(CandidateSearch):
    """A sampler, by the name of its class; the first values have the score of a half."""

    def __init__(self, terms: SearchTerms, sampler: str) -> None:
        super().__init__(terms)
        optuna = package()
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # parts of Optuna call themselves experimental
            made = getattr(optuna.samplers, sampler)(seed=derive(terms.draws, "optuna") >> 32)
        self._study = optuna.create_study(direction="maximize", sampler=made)
        integers = optuna.distributions.IntDistribution
        named = dict(zip(terms.names, terms.parameters, strict=True))
        self._space = {name: integers(0, grid_size(one) - 1) for name, one in named.items()}
        first = {
            name: round((exact(one.value) - exact(one.low)).scaleb(one.decimals))
            for name, one in named.items()
        }
        self._study.add_trial(optuna.trial.create_trial(params=first, distributions=self._space, value=0.5))
        self._trial = self._study.trials[0]

    def candidate(self) -> Values:
        """What the sampler asks for."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._trial = self._study.ask(self._space)
        places = zip(self._space, self.terms.parameters, strict=True)
        return tuple(
            exact(one.low) + Decimal(int(self._trial.params[name])).scaleb(-one.decimals)
            for name, one in places
        )

    def take(self, score: float) -> None:
        """Tell the sampler."""
        self._study.tell(self._trial, score)


def package() -> ModuleType:
    """The package. Raises UsageError if it is not installed."""
    return import_extra("optuna", UsageError, "the methods tpe and cma-es need", "tune")
