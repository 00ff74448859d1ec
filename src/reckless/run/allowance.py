"""How many evaluations a run may make if its caller does not say."""

from reckless.domains.domain import Domain

EACH = 1_000  # evaluations for each coordinate of x and of y, and as many once
EACH_ENTRY = 10  # evaluations for each entry of a list of y, which counts as one coordinate: descents try all of it


def default_maxfev(x_domain: Domain, y_domain: Domain) -> int:
    """Return the default of `maxfev`, which grows with the dimensions."""
    return EACH * (x_domain.n + y_domain.n + 1) + EACH_ENTRY * (y_domain.n_scenarios or 0)


def explained(x_domain: Domain, y_domain: Domain) -> str:
    """Say in a sentence where the default of `maxfev` comes from."""
    k = y_domain.n_scenarios
    more = "" if k is None else f" + {EACH_ENTRY} for each of {k:,} scenarios"
    sizes = f"{EACH:,} (n_x + n_y + 1) with n_x = {x_domain.n} and n_y = {y_domain.n}{more}"
    return f"maxfev was not given: {default_maxfev(x_domain, y_domain):,} evaluations were allowed, {sizes}."
