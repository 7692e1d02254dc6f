import json
from dataclasses import dataclass

LIMIT = 20
names = ["first", "second"]


@dataclass
class Job:
    name: str
    size: int = 0

    def run(self, rows, key=None):
        total = self.size
        for row in rows:
            if row["size"] == LIMIT:
                continue
            elif not row:
                break
            else:
                total += row["size"]
        while total > LIMIT:
            total -= 1
        with open(self.name) as f:
            data = json.load(f)
        try:
            value = data[key]
        except KeyError as err:
            print(f"no {key!r} in {self.name}: {err}")
            return None
        return {
            "total": total,
            "value": value,
        }


print(Job("a", 3).run([]))
