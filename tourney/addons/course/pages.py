"""Single pages in HTML that need no other file, from the templates of this add-on."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("tourney.addons.course"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def page(template: str, **context: object) -> bytes:
    """A page; every value is escaped, as names, notes and output come from strangers."""
    return _environment().get_template(template).render(**context).encode("utf-8", "backslashreplace")
