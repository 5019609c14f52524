"""A study of Optuna (extra ``tune``): integers from 0 up in, scores out, and the same again for one seed."""

import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import ModuleType

from tourney.errors import UsageError

_SAMPLERS = {"tpe": "TPESampler", "cma-es": "CmaEsSampler"}


class Study:
    """A study that maximises, of parameters with these numbers of values; ``first`` scores a half."""

    def __init__(self, sampler: str, sizes: Mapping[str, int], seed: int, first: Sequence[int]) -> None:
        optuna = _package()
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # parts of Optuna call themselves experimental
            made = getattr(optuna.samplers, _SAMPLERS[sampler])(seed=seed)
        self._study = optuna.create_study(direction="maximize", sampler=made)
        integers = optuna.distributions.IntDistribution
        self._space = {name: integers(0, size - 1) for name, size in sizes.items()}
        known = dict(zip(sizes, first, strict=True))
        trial = optuna.trial.create_trial(params=known, distributions=self._space, value=0.5)
        self._study.add_trial(trial)
        self._asked = self._study.trials[0]

    def ask(self) -> list[int]:
        """The next values to try, in the order of the parameters."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._asked = self._study.ask(self._space)
        return [int(self._asked.params[name]) for name in self._space]

    def tell(self, score: float) -> None:
        """Take the score of the values asked for last."""
        self._study.tell(self._asked, score)


def version() -> str:
    """The installed version of Optuna. Raises UsageError if there is none."""
    return str(_package().__version__)


def _package() -> ModuleType:
    try:
        return import_module("optuna")
    except ImportError as error:
        raise UsageError(
            "the methods tpe and cma-es need the package optuna: install it by pip install 'tourney[tune]'"
        ) from error
