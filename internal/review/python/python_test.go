package python

import (
	"strings"
	"testing"
)

const file = `"""A file."""
from __future__ import annotations
import os, sys as system
from . import (a, b as c,)

type Alias[T: int = str, *Ts, **P] = list[T]

@decorated.by(1)
class A[T](B, metaclass=C):
	x: int = 1; y = z = 2
	def f(self, a, /, b: int = 1, *args: *Ts, c, d=2, **kw) -> "A":
		global g
		nonlocal_ = [*a, *b][1:2, ::3, *c]
		return (yield), *a

async def f(*, key=lambda x, *y: x if y else 1):
	async with a as b, c:
		await d
	async for i, (j, *k) in e: break
	else:
		pass
	return [x async for x in y if await z]

def g():
	with (open(1) as a, b as c.d): yield
	with (a, b): x = yield 1
	try:
		x[1:2], y.z = 1, 2
	except* (A, B) as e: raise X from None
	else:
		del x, (y[0], z)
	finally:
		x @= 1 if not y else -2 ** -3
	while (n := f(a)) is not None and a not in b <= c: continue
	for x in *a, b: pass
	print(f"{a!r:>{width}} {{}} {d["x"]} {lambda_:%Y-%m} {x = } {(lambda: 1)}", rb'\x' b"", file=x, *y, **z)
	return {**a, "b": 1, 1: 2} | {1, *b} | {k: v for k, v in c} | {1_000, 0x1F, 1e-5, .5j, 0o7, 1.}

match = 1
match x, *y:
	case 1 | -2 | "a" "b" if z: pass
	case [a, *_, (b as c)] | {"k": v, **rest}: pass
	case A(1, b=C.D() as e) as f: pass
	case None: pass
	case _ if not hasattr(x, "y"): pass
match(x)
assert x, \
	y
if x: pass
elif y: pass
else: pass
`

// Valid Python files are accepted, and files that no version of Python accepts are refused.
func TestValid(t *testing.T) {
	t.Parallel()
	for _, text := range []string{file, "", "\n", "# a\n", "\ufeffa = 1", "if a:\n  b\n  # c\nd\n", "a = (1,\n 2)\n", "a = '''b\nc'''", "x = 1if y else 2", strings.ReplaceAll(file, "\n", "\r\n")} {
		if valid, known := Valid([]byte(text)); !valid || !known {
			t.Errorf("refused, known %v:\n%s", known, text)
		}
	}
	for _, text := range []string{
		"if a = []:\n  b\n", "while f(a) = 1:\n  b\n", "if a\n  b\n", "def f()\n  b\n", "for a in b\n  c\n", "a = 'b\n", "a = 'b''\n", "a = f'{b'\n", "a = f'{b}}'\n", "a = '''b\n", "return 1\n", "class A:\n  return\n",
		"yield 1\n", "await a\n", "def f():\n  await a\n", "break\n", "if a:\n  continue\n", "if a:\n  b\nelse:\n  c\nelse:\n  d\n", "else:\n  a\n", "try:\n  a\n", "try:\n  a\nb\n", "try:\n  a\nexcept:\n  b\nexcept A:\n  c\n", "a = \n", "a +\n",
		"a b\n", "a = 1 2\n", "f(a b)\n", "f(a=1, b)\n", "f(a=1, a=2)\n", "f(x for x in y, 1)\n", "def f(a, a):\n  b\n", "def f(a=1, b):\n  c\n", "[1, 2\n", "a]\n", "(a]\n", "a = {1: 2, 3}\n", "1 = a\n", "f() = a\n", "a + 1 += 2\n", "None = 1\n", "'a' = 1\n",
		"del f()\n", "import a.b as c.d\n", "from a import\n", "from a import *, b\n", "a = 01\n", "a = 1x\n", "a?\n", "a $ b\n", "  a\n", "if a:\nb\n", "if a:\n    b\n  c\n", "if a:\n\tb\n        c\n", "a = not\n", "a == not b\n", "lambda a: \n", "x = *a\n", "@a\nb = 1\n",
		"class A\n  b\n", "print 'a'\n", "exec 'a'\n", "raise a, b\n", "a <> b\n", "with a as 1:\n  b\n", "for 1 in a:\n  b\n", "a\nfrom __future__ import b\n", "def f():\n  from a import *\n", "async a\n", "match a:\n  b\n", "case 1:\n  a\n", "a \\ b\n", "a; ; b\n", "a = 1 if b\n", "a.1\n", "a..b\n", "'a' b'c'\n", "nonlocal a\n",
		"if (a:\n  b\n", "f'\\N{DASH'\na = {}\n", "a = 1__0\n", "a = 1\n\rb = (\n", "def f(*):\n  a\n", "def f(**a, b):\n  c\n", "x = [i for i in 1, 2]\n", "\x00",
	} {
		if valid, known := Valid([]byte(text)); valid || !known {
			t.Errorf("valid %v, known %v:\n%s", valid, known, text)
		}
	}
}

// Text beyond the bounds has an unknown result, however it is nested.
func TestBounds(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		strings.Repeat("a = 1\n", maxBytes/6+1), "a = \xff\n", strings.Repeat("(", 1000) + strings.Repeat(")", 1000), strings.Repeat("[", 100_000), "a = " + strings.Repeat("lambda: ", 1000) + "1\n",
		strings.Repeat("f'{", 1000), "f'" + strings.Repeat("{a:", 1000) + strings.Repeat("}", 1000) + "'\n", strings.Repeat("[{(", 1000),
	} {
		if _, known := Valid([]byte(text)); known {
			t.Errorf("known: %.40q", text)
		}
	}
	var deep strings.Builder
	for i := range 200 {
		deep.WriteString(strings.Repeat(" ", i) + "if a:\n")
	}
	if _, known := Valid([]byte(deep.String())); known {
		t.Error("200 blocks are known")
	}
	for _, text := range []string{"a = " + strings.Repeat("- ", 100_000) + "1\n", "a = " + strings.Repeat("not ", 100_000) + "1\n", "a" + strings.Repeat(".b", 100_000) + "\n", "a = " + strings.Repeat("1 if b else ", 50_000) + "1\n", "a" + strings.Repeat(" = a", 100_000) + "\n",
		"if a: pass\n" + strings.Repeat("elif a: pass\n", 50_000)} {
		if valid, known := Valid([]byte(text)); !valid || !known {
			t.Errorf("valid %v, known %v: %.40q", valid, known, text)
		}
	}
}

// FuzzValid gives arbitrary text to the parser: it ends, and gives a result for text within its bounds.
func FuzzValid(f *testing.F) {
	f.Add(file)
	f.Add("f'{a!r:{b}}'\n\tif x")
	f.Fuzz(func(t *testing.T, text string) {
		if valid, known := Valid([]byte(text)); valid && !known {
			t.Error("valid and not known")
		}
	})
}
