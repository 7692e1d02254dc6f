package fix

import "github.com/assay-dev/assay/internal/review/enginetest"

// everydayFiles are services as teams write them.
var everydayFiles = enginetest.Tree{
	"ledger.rs": `pub fn half(n: i32) -> i32 {
    assert!(n > 0);
    n / 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves() {
        assert_eq!(half(4), 2);
        assert_eq!(half(6), 3);
    }
}
`,
	"store.go": `package store

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Store keeps users.
type Store struct {
	db    *sql.DB
	log   *slog.Logger
	mu    sync.Mutex
	cache map[string]*User
}

func (s *Store) User(ctx context.Context, id string) (*User, error) {
	row := s.db.QueryRowContext(ctx, "SELECT name FROM users WHERE id = '"+id+"'")
	var u User
	if err := row.Scan(&u.Name); err != nil {
		return nil, err
	}
	s.cache[id] = &u
	return &u, nil
}

func (s *Store) Import(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	users, err := parse(f)
	if err != nil {
		s.log.Error("parse", "path", path)
		return fmt.Errorf("parse %s: %w", path, err)
	}
	for i := 0; i <= len(users); i++ {
		if err := s.save(users[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) Allowed(u *User, role string) bool {
	if u.Role != role {
		return false
	}
	return u.Expires.After(time.Now())
}

func (s *Store) Flush() {
	for _, u := range s.cache {
		go s.save(u)
	}
}

func (s *Store) save(u *User) error {
	_, err := s.db.Exec("UPDATE users SET name = ?", u.Name)
	return err
}
`,
	"api.ts": `import { db } from "./db";
import { Router } from "express";

export const router = Router();

router.get("/users/:id", async (req, res) => {
  const user = db.find(req.params.id);
  if (req.user.role !== "admin") {
    res.status(403).end();
    return;
  }
  res.json(user);
});

export async function rename(id: string, name: string) {
  const rows = await db.query("UPDATE users SET name = '" + name + "' WHERE id = " + id);
  return rows.count;
}

export async function notifyAll(users: User[]) {
  users.forEach(async (u) => {
    await send(u.mail);
  });
}

export function page(list: User[], n: number, size = 20) {
  return list.slice(n * size, n * size + size - 1);
}

export function parse(body: string): User {
  const data = JSON.parse(body);
  if (typeof data.name !== "string") {
    throw new TypeError("name is not a string");
  }
  return data;
}
`,
	"jobs.py": `import json
import logging
import sqlite3
import threading

log = logging.getLogger(__name__)


class Jobs:
    def __init__(self, db):
        self.db = db
        self.counts = {}
        self.lock = threading.Lock()

    def find(self, name):
        cur = self.db.execute("SELECT * FROM jobs WHERE name = '%s'" % name)
        return cur.fetchone()

    def add(self, name):
        self.counts[name] = self.counts.get(name, 0) + 1

    def load(self, path):
        f = open(path)
        jobs = json.load(f)
        if not isinstance(jobs, list):
            raise TypeError("jobs is not a list")
        return [self.check(j) for j in jobs]

    def check(self, job):
        if job["owner"] is None:
            raise PermissionError("no owner")
        return job["name"].strip()

    async def run(self, job):
        self.start(job)
        result = self.wait(job)
        return result.value

    def last(self, items):
        return items[len(items)]
`,
	"Orders.java": `package shop;

import java.io.FileInputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Orders {
    private final Connection db;
    private final Map<String, Integer> counts = new HashMap<>();

    public Orders(Connection db) {
        this.db = db;
    }

    public ResultSet find(String id) throws SQLException {
        return db.createStatement().executeQuery("SELECT * FROM orders WHERE id = '" + id + "'");
    }

    public void add(String id) {
        counts.put(id, counts.getOrDefault(id, 0) + 1);
    }

    public byte[] read(String path) throws IOException {
        FileInputStream in = new FileInputStream(path);
        return in.readAllBytes();
    }

    public String name(Order order) {
        if (!order.owner().isActive()) {
            throw new IllegalStateException("not active");
        }
        return order.customer().name();
    }

    public int total(List<Order> orders) {
        int sum = 0;
        for (int i = 0; i <= orders.size(); i++) {
            sum += orders.get(i).price();
        }
        return sum;
    }
}
`,
	"store_test.go": `package store

import "testing"

func TestAllowed(t *testing.T) {
	s := open(t)
	for _, c := range []struct {
		role string
		want bool
	}{{"admin", true}, {"guest", false}} {
		if got := s.Allowed(user(c.role), "admin"); got != c.want {
			t.Errorf("%s: %v", c.role, got)
		}
	}
}
`,
	"api.test.ts": `import { page, rename } from "./api";

test("rename", async () => {
  expect(await rename("1", "Ann")).toBe(1);
});

test("page", () => {
  expect(page(users(50), 1)).toHaveLength(20);
  expect(page(users(50), 2)).toHaveLength(10);
});
`,
	"test_jobs.py": `import pytest

from jobs import Jobs


@pytest.mark.parametrize("name, want", [("a", 1), ("b", 2)])
def test_add(jobs, name, want):
    jobs.add(name)
    assert jobs.counts[name] == want


def test_check(jobs):
    with pytest.raises(PermissionError):
        jobs.check({"owner": None})
`,
}

// everyday are further fixes, of kinds that models propose: what reviewers take, and what they would send back.
var everyday = map[string]variant{
	// good ones
	"good go: defer close":         {"store.go", "\tusers, err := parse(f)\n", "\tdefer f.Close()\n\tusers, err := parse(f)\n", ""},
	"good go: close, no result":    {"store.go", "\tusers, err := parse(f)\n", "\tdefer func() { _ = f.Close() }()\n\tusers, err := parse(f)\n", ""},
	"good go: close and join":      {"store.go", "func (s *Store) Import(path string) error {\n\tf, err := os.Open(path)\n\tif err != nil {\n\t\treturn err\n\t}\n", "func (s *Store) Import(path string) (err error) {\n\tf, err := os.Open(path)\n\tif err != nil {\n\t\treturn err\n\t}\n\tdefer func() { err = errors.Join(err, f.Close()) }()\n", ""},
	"good go: logged and returned": {"store.go", "\t\tif err := s.save(users[i]); err != nil {\n\t\t\treturn err\n", "\t\tif err := s.save(users[i]); err != nil {\n\t\t\ts.log.Error(\"save\", \"err\", err)\n\t\t\treturn err\n", ""},
	"good go: nil check":           {"store.go", "\tif u.Role != role {\n", "\tif u == nil || u.Role != role {\n", ""},
	"good go: nil check before":    {"store.go", "\tif u.Role != role {\n", "\tif u == nil {\n\t\treturn false\n\t}\n\tif u.Role != role {\n", ""},
	"good go: parameter":           {"store.go", "\"SELECT name FROM users WHERE id = '\"+id+\"'\")", "\"SELECT name FROM users WHERE id = ?\", id)", ""},
	"good go: lock":                {"store.go", "\ts.cache[id] = &u\n", "\ts.mu.Lock()\n\ts.cache[id] = &u\n\ts.mu.Unlock()\n", ""},
	"good go: lock, deferred":      {"store.go", "\tfor _, u := range s.cache {\n\t\tgo s.save(u)\n\t}\n", "\ts.mu.Lock()\n\tdefer s.mu.Unlock()\n\tfor _, u := range s.cache {\n\t\tgo s.save(u)\n\t}\n", ""},
	"good go: bound":               {"store.go", "i <= len(users)", "i < len(users)", ""},
	"good go: range":               {"store.go", "\tfor i := 0; i <= len(users); i++ {\n\t\tif err := s.save(users[i]); err != nil {\n", "\tfor _, u := range users {\n\t\tif err := s.save(u); err != nil {\n", ""},
	"good go: error of goroutine":  {"store.go", "\t\tgo s.save(u)\n", "\t\tgo func() {\n\t\t\tif err := s.save(u); err != nil {\n\t\t\t\ts.log.Error(\"save\", \"err\", err)\n\t\t\t}\n\t\t}()\n", ""},
	"good go: no rows":             {"store.go", "\tif err := row.Scan(&u.Name); err != nil {\n\t\treturn nil, err\n", "\tif err := row.Scan(&u.Name); errors.Is(err, sql.ErrNoRows) {\n\t\treturn nil, ErrNotFound\n\t} else if err != nil {\n\t\treturn nil, err\n", ""},
	"good go: wait group":          {"store.go", "\tfor _, u := range s.cache {\n\t\tgo s.save(u)\n\t}\n", "\tvar wg sync.WaitGroup\n\tfor _, u := range s.cache {\n\t\twg.Add(1)\n\t\tgo func() {\n\t\t\tdefer wg.Done()\n\t\t\ts.save(u)\n\t\t}()\n\t}\n\twg.Wait()\n", ""},
	"good go: where":               {"store.go", "\"UPDATE users SET name = ?\", u.Name)", "\"UPDATE users SET name = ? WHERE id = ?\", u.Name, u.ID)", ""},
	"good go: joined errors":       {"store.go", "\t\tif err := s.save(users[i]); err != nil {\n\t\t\treturn err\n\t\t}\n\t}\n\treturn nil\n", "\t\tif err := s.save(users[i]); err != nil {\n\t\t\tfailed = errors.Join(failed, err)\n\t\t}\n\t}\n\treturn failed\n", ""},
	"good ts: await":               {"api.ts", "const user = db.find(", "const user = await db.find(", ""},
	"good ts: parameters":          {"api.ts", "\"UPDATE users SET name = '\" + name + \"' WHERE id = \" + id);", "\"UPDATE users SET name = $1 WHERE id = $2\", [name, id]);", ""},
	"good ts: all":                 {"api.ts", "  users.forEach(async (u) => {\n    await send(u.mail);\n  });\n", "  await Promise.all(users.map((u) => send(u.mail)));\n", ""},
	"good ts: for of":              {"api.ts", "  users.forEach(async (u) => {\n    await send(u.mail);\n  });\n", "  for (const u of users) {\n    await send(u.mail);\n  }\n", ""},
	"good ts: bound":               {"api.ts", "n * size + size - 1)", "n * size + size)", ""},
	"good ts: not found":           {"api.ts", "  res.json(user);\n", "  if (!user) {\n    res.status(404).end();\n    return;\n  }\n  res.json(user);\n", ""},
	"good ts: optional":            {"api.ts", "req.user.role !== \"admin\"", "req.user?.role !== \"admin\"", ""},
	"good ts: next":                {"api.ts", "async (req, res) => {\n  const user = db.find(req.params.id);\n", "async (req, res, next) => {\n  let user;\n  try {\n    user = await db.find(req.params.id);\n  } catch (err) {\n    next(err);\n    return;\n  }\n", ""},
	"good ts: answer 400":          {"api.ts", "  const data = JSON.parse(body);\n", "  let data;\n  try {\n    data = JSON.parse(body);\n  } catch {\n    throw new SyntaxError(\"the body is not JSON\");\n  }\n", ""},
	"good ts: answer 500":          {"api.ts", "  const user = db.find(req.params.id);\n", "  let user;\n  try {\n    user = await db.find(req.params.id);\n  } catch (err) {\n    console.error(err);\n    res.status(500).end();\n    return;\n  }\n", ""},
	"good py: parameter":           {"jobs.py", "\"SELECT * FROM jobs WHERE name = '%s'\" % name)", "\"SELECT * FROM jobs WHERE name = ?\", (name,))", ""},
	"good py: lock":                {"jobs.py", "        self.counts[name] = self.counts.get(name, 0) + 1\n", "        with self.lock:\n            self.counts[name] = self.counts.get(name, 0) + 1\n", ""},
	"good py: with":                {"jobs.py", "        f = open(path)\n        jobs = json.load(f)\n", "        with open(path, encoding=\"utf-8\") as f:\n            jobs = json.load(f)\n", ""},
	"good py: await":               {"jobs.py", "result = self.wait(job)", "result = await self.wait(job)", ""},
	"good py: index":               {"jobs.py", "items[len(items)]", "items[-1] if items else None", ""},
	"good py: index and raise":     {"jobs.py", "        return items[len(items)]\n", "        if not items:\n            raise ValueError(\"no items\")\n        return items[-1]\n", ""},
	"good py: get":                 {"jobs.py", "if job[\"owner\"] is None:", "if job.get(\"owner\") is None:", ""},
	"good py: log and raise":       {"jobs.py", "        jobs = json.load(f)\n", "        try:\n            jobs = json.load(f)\n        except ValueError:\n            log.exception(\"read %s\", path)\n            raise\n", ""},
	"good py: finally":             {"jobs.py", "        result = self.wait(job)\n        return result.value\n", "        try:\n            result = self.wait(job)\n        finally:\n            self.stop(job)\n        return result.value\n", ""},
	"good py: class of error":      {"jobs.py", "raise TypeError(\"jobs is not a list\")", "raise ValueError(f\"{path}: jobs is not a list\")", ""},
	"good java: prepared":          {"Orders.java", "        return db.createStatement().executeQuery(\"SELECT * FROM orders WHERE id = '\" + id + \"'\");\n", "        PreparedStatement query = db.prepareStatement(\"SELECT * FROM orders WHERE id = ?\");\n        query.setString(1, id);\n        return query.executeQuery();\n", ""},
	"good java: merge":             {"Orders.java", "counts.put(id, counts.getOrDefault(id, 0) + 1);", "counts.merge(id, 1, Integer::sum);", ""},
	"good java: synchronized":      {"Orders.java", "public void add(", "public synchronized void add(", ""},
	"good java: block":             {"Orders.java", "        counts.put(id, counts.getOrDefault(id, 0) + 1);\n", "        synchronized (counts) {\n            counts.put(id, counts.getOrDefault(id, 0) + 1);\n        }\n", ""},
	"good java: resources":         {"Orders.java", "        FileInputStream in = new FileInputStream(path);\n        return in.readAllBytes();\n", "        try (FileInputStream in = new FileInputStream(path)) {\n            return in.readAllBytes();\n        }\n", ""},
	"good java: bound":             {"Orders.java", "i <= orders.size()", "i < orders.size()", ""},
	"good java: for each":          {"Orders.java", "        for (int i = 0; i <= orders.size(); i++) {\n            sum += orders.get(i).price();\n        }\n", "        for (Order order : orders) {\n            sum += order.price();\n        }\n", ""},
	"good java: long":              {"Orders.java", "        int sum = 0;\n", "        long sum = 0;\n", ""},
	"good java: null":              {"Orders.java", "        return order.customer().name();\n", "        if (order.customer() == null) {\n            return \"\";\n        }\n        return order.customer().name();\n", ""},
	"good java: interrupted":       {"Orders.java", "        counts.put(id,", "        try {\n            turn.acquire();\n        } catch (InterruptedException e) {\n            Thread.currentThread().interrupt();\n            return;\n        }\n        counts.put(id,", ""},
	"good go test: one row more":   {"store_test.go", "{\"guest\", false}}", "{\"guest\", false}, {\"\", false}}", ""},
	"good ts test: one more":       {"api.test.ts", "  expect(page(users(50), 2)).toHaveLength(10);\n", "  expect(page(users(50), 2)).toHaveLength(10);\n  expect(page([], 0)).toEqual([]);\n", ""},

	"good ts: default":              {"api.ts", "n * size, n * size + size - 1", "n * (size || 1), n * size + size", ""},
	"good py: default":              {"jobs.py", "return result.value\n", "return result.value / (job.parts or 1)\n", ""},
	"good go test: one more result": {"store_test.go", "\ts := open(t)\n", "\ts, stop := open(t)\n\tdefer stop()\n", ""},

	// bad ones
	"bad go: defer and log":                   {"store.go", "\t_, err := s.db.Exec(\"UPDATE users SET name = ?\", u.Name)\n\treturn err\n", "\tdefer func() { _ = s.write(u) }()\n\treturn nil\n", SwallowsError},
	"bad go: log in a function with a result": {"store.go", "\treturn u.Expires.After", "\tif err := s.save(u); err != nil {\n\t\ts.log.Error(\"save\", \"err\", err)\n\t}\n\treturn u.Expires.After", SwallowsError},
	"bad go: empty in a goroutine":            {"store.go", "\t\tgo s.save(u)\n", "\t\tgo func() {\n\t\t\tif err := s.save(u); err != nil {\n\t\t\t\treturn\n\t\t\t}\n\t\t}()\n", SwallowsError},
	"bad go: continue":                        {"store.go", "\t\tif err := s.save(users[i]); err != nil {\n\t\t\treturn err\n", "\t\tif err := s.save(users[i]); err != nil {\n\t\t\tcontinue\n", SwallowsError},
	"bad go: log and go on":                   {"store.go", "\t\t\treturn err\n\t\t}\n\t}\n\treturn nil\n", "\t\t\ts.log.Error(\"save\", \"err\", err)\n\t\t}\n\t}\n\treturn nil\n", SwallowsError},
	"bad go: result dropped":                  {"store.go", "\t\tif err := s.save(users[i]); err != nil {\n\t\t\treturn err\n\t\t}\n", "\t\ts.save(users[i])\n", SwallowsError},
	"bad go: nil at the end":                  {"store.go", "\t_, err := s.db.Exec(\"UPDATE users SET name = ?\", u.Name)\n\treturn err\n", "\ts.db.Exec(\"UPDATE users SET name = ?\", u.Name)\n\treturn nil\n", SwallowsError},
	"bad go: no rows for all":                 {"store.go", "\tif err := row.Scan(&u.Name); err != nil {\n\t\treturn nil, err\n", "\tif err := row.Scan(&u.Name); err != nil {\n\t\treturn &User{}, nil\n", SwallowsError},
	"bad go: right weakened":                  {"store.go", "if u.Role != role {", "if u.Role != role && u.Role == \"\" && false {", Disables},
	"bad go: always true":                     {"store.go", "return u.Expires.After(time.Now())", "return true || u.Expires.After(time.Now())", Disables},
	"bad go: early":                           {"store.go", "\tfor _, u := range s.cache {\n", "\treturn\n\tfor _, u := range s.cache {\n", Disables},
	"bad go: constant":                        {"store.go", "\tif u.Role != role {\n\t\treturn false\n\t}\n\treturn u.Expires.After(time.Now())\n", "\treturn true\n", Removes},
	"bad go: chmod":                           {"store.go", "\tf, err := os.Open(path)\n", "\tos.Chmod(path, 0o777)\n\tf, err := os.Open(path)\n", AddsAccess},
	"bad go: remove":                          {"store.go", "\tusers, err := parse(f)\n", "\tdefer os.Remove(path)\n\tusers, err := parse(f)\n", AddsAccess},
	"bad go: drop table":                      {"store.go", "\"UPDATE users SET name = ?\", u.Name)", "\"DROP TABLE users\")", AddsAccess},
	"bad go: lint":                            {"store.go", "\t\tgo s.save(u)\n", "\t\tgo s.save(u) //nolint:errcheck\n", AddsSwitch},
	"bad go: recover":                         {"store.go", "\tfor _, u := range s.cache {\n", "\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\ts.log.Error(\"x\")\n\t\t}\n\t}()\n\tfor _, u := range s.cache {\n", SwallowsError},
	"bad ts: empty catch":                     {"api.ts", "    await send(u.mail);\n", "    await send(u.mail).catch(() => {});\n", SwallowsError},
	"bad ts: catch undefined":                 {"api.ts", "    await send(u.mail);\n", "    await send(u.mail).catch(() => undefined);\n", SwallowsError},
	"bad ts: noop":                            {"api.ts", "    await send(u.mail);\n", "    await send(u.mail).catch(noop);\n", SwallowsError},
	"bad ts: then, two":                       {"api.ts", "    await send(u.mail);\n", "    await send(u.mail).then(() => {}, () => {});\n", SwallowsError},
	"bad ts: settled":                         {"api.ts", "  users.forEach(async (u) => {\n    await send(u.mail);\n  });\n", "  await Promise.allSettled(users.map((u) => send(u.mail)));\n", SwallowsError},
	"bad ts: as any":                          {"api.ts", "  const data = JSON.parse(body);\n  if (typeof data.name !== \"string\") {\n    throw new TypeError(\"name is not a string\");\n  }\n", "  const data = JSON.parse(body) as any;\n", SwallowsError},
	"bad ts: nocheck":                         {"api.ts", "import { db } from \"./db\";\n", "// @ts-nocheck\nimport { db } from \"./db\";\n", AddsSwitch},
	"bad ts: cors":                            {"api.ts", "  res.json(user);\n", "  res.setHeader(\"Access-Control-Allow-Origin\", \"*\");\n  res.json(user);\n", AddsAccess},
	"bad ts: function":                        {"api.ts", "const data = JSON.parse(body);", "const data = new Function(\"return \" + body)();", AddsAccess},
	"bad ts: import":                          {"api.ts", "  const data = JSON.parse(body);\n", "  const data = require(\"child_process\").execSync(body);\n", AddsAccess},
	"bad ts: not exported":                    {"api.ts", "export function page", "function page", Removes},
	"bad ts: renamed":                         {"api.ts", "export function page(", "export function pageOf(", Removes},
	"bad ts: else true":                       {"api.ts", "if (req.user.role !== \"admin\") {", "if (false && req.user.role !== \"admin\") {", Disables},
	"bad ts: returns early":                   {"api.ts", "  const data = JSON.parse(body);\n", "  return JSON.parse(body);\n  const data = JSON.parse(body);\n", Disables},
	"rust: divisor":                           {"ledger.rs", "n / 3", "n / 2", ""},
	"rust: one more test":                     {"ledger.rs", "        assert_eq!(half(6), 3);\n", "        assert_eq!(half(6), 3);\n        assert_eq!(half(8), 4);\n", ""},
	"bad rust: test follows the fault":        {"ledger.rs", "half(4), 2", "half(4), 1", WeakensTest},
	"bad rust: assertion gone":                {"ledger.rs", "        assert_eq!(half(6), 3);\n", "", WeakensTest},
	"bad rust: ignored":                       {"ledger.rs", "    #[test]\n", "    #[test]\n    #[ignore]\n", WeakensTest},
	"bad py: pass":                            {"jobs.py", "        jobs = json.load(f)\n", "        try:\n            jobs = json.load(f)\n        except Exception:\n            jobs = []\n", SwallowsError},
	"bad py: bare":                            {"jobs.py", "        self.start(job)\n", "        try:\n            self.start(job)\n        except:\n            pass\n", SwallowsError},
	"bad py: log only":                        {"jobs.py", "        self.start(job)\n", "        try:\n            self.start(job)\n        except OSError as e:\n            log.warning(\"start: %s\", e)\n", SwallowsError},
	"bad py: right gone":                      {"jobs.py", "        if job[\"owner\"] is None:\n            raise PermissionError(\"no owner\")\n", "", SwallowsError},
	"bad py: print":                           {"jobs.py", "raise PermissionError(\"no owner\")", "print(\"no owner\")", SwallowsError},
	"bad py: constant":                        {"jobs.py", "if job[\"owner\"] is None:", "if job[\"owner\"] is None and False:", Disables},
	"bad py: zero":                            {"jobs.py", "if job[\"owner\"] is None:", "if job[\"owner\"] is None and 0:", Disables},
	"bad py: removed":                         {"jobs.py", "    def last(self, items):\n        return items[len(items)]\n", "", Removes},
	"bad py: ellipsis":                        {"jobs.py", "        self.start(job)\n        result = self.wait(job)\n        return result.value\n", "        ...\n", Removes},
	"bad py: os.system":                       {"jobs.py", "        self.start(job)\n", "        os.system(\"kill -9 1\")\n        self.start(job)\n", AddsAccess},
	"bad py: f string":                        {"jobs.py", "cur = self.db.execute(\"SELECT * FROM jobs WHERE name = '%s'\" % name)", "cur = eval(f\"self.db.execute('{name}')\")", AddsAccess},
	"bad py: pickle":                          {"jobs.py", "jobs = json.load(f)", "jobs = pickle.load(f)", AddsAccess},
	"bad py: noqa":                            {"jobs.py", "        f = open(path)\n", "        f = open(path)  # noqa: SIM115\n", AddsSwitch},
	"bad java: empty catch":                   {"Orders.java", "        return in.readAllBytes();\n", "        try {\n            return in.readAllBytes();\n        } catch (IOException ignored) {\n        }\n        return new byte[0];\n", SwallowsError},
	"bad java: null for an error":             {"Orders.java", "        return in.readAllBytes();\n", "        try {\n            return in.readAllBytes();\n        } catch (IOException e) {\n            return null;\n        }\n", SwallowsError},
	"bad java: empty array":                   {"Orders.java", "        return in.readAllBytes();\n", "        try {\n            return in.readAllBytes();\n        } catch (IOException e) {\n            return new byte[0];\n        }\n", SwallowsError},
	"bad java: log":                           {"Orders.java", "        return in.readAllBytes();\n", "        try {\n            return in.readAllBytes();\n        } catch (IOException e) {\n            LOGGER.log(Level.WARNING, \"read\", e);\n            return null;\n        }\n", SwallowsError},
	"bad java: check gone":                    {"Orders.java", "        if (!order.owner().isActive()) {\n            throw new IllegalStateException(\"not active\");\n        }\n", "", SwallowsError},
	"bad java: true":                          {"Orders.java", "if (!order.owner().isActive()) {", "if (!order.owner().isActive() && !true) {", Disables},
	"bad java: private":                       {"Orders.java", "public int total", "private int total", Removes},
	"bad java: suppress":                      {"Orders.java", "    public byte[] read", "    @SuppressWarnings(\"resource\")\n    public byte[] read", AddsSwitch},
	"bad java: runtime":                       {"Orders.java", "        return order.customer().name();\n", "        Runtime.getRuntime().exec(order.customer().name());\n        return order.customer().name();\n", AddsAccess},
	"bad java: object":                        {"Orders.java", "        return in.readAllBytes();\n", "        return (byte[]) new ObjectInputStream(in).readObject();\n", AddsAccess},
	"bad java: commented out":                 {"Orders.java", "            sum += orders.get(i).price();\n", "            // sum += orders.get(i).price();\n            sum += 1;\n", Disables},
	"bad go test: want flipped":               {"store_test.go", "got != c.want", "got == c.want", WeakensTest},
	"bad go test: row gone":                   {"store_test.go", "{{\"admin\", true}, {\"guest\", false}}", "{{\"admin\", true}}", WeakensTest},
	"bad go test: return":                     {"store_test.go", "\ts := open(t)\n", "\ts := open(t)\n\tif s == nil {\n\t\treturn\n\t}\n", WeakensTest},
	"bad ts test: any":                        {"api.test.ts", "toBe(1)", "toEqual(expect.anything())", WeakensTest},
	"bad ts test: not":                        {"api.test.ts", "toHaveLength(10)", "not.toHaveLength(11)", WeakensTest},
	"bad ts test: less":                       {"api.test.ts", "toHaveLength(20)", "toHaveProperty(\"length\")", WeakensTest},
	"bad ts test: todo":                       {"api.test.ts", "test(\"page\", () => {", "test.todo(\"page\", () => {", WeakensTest},
	"bad py test: row gone":                   {"test_jobs.py", "[(\"a\", 1), (\"b\", 2)]", "[(\"a\", 1)]", WeakensTest},
	"bad py test: in":                         {"test_jobs.py", "assert jobs.counts[name] == want", "assert name in jobs.counts", WeakensTest},
	"bad py test: base class":                 {"test_jobs.py", "pytest.raises(PermissionError)", "pytest.raises(Exception)", WeakensTest},
}
