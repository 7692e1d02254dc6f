package structure

import (
	"strings"
	"testing"
)

const goSample = `package p

type T[K any] struct {
	a int
}

// M does.
func (t *T[K]) M(x int) error {
	if x > 0 {
		return nil
	}
	return nil
}

const c = 1

func F() {
	f := func() {
		println()
	}
	f()
}
`

const pySample = `import x

class A(B):
    y = 1

    def m(self):
        if x:
            return 1

        return 2

    async def n(
        self,
        q,
    ):
        return q


def top():
    return 1

z = 3
`

const tsSample = `export class Cart {
  private items: Item[] = [];

  async add(item: Item): Promise<void> {
    if (item) {
      this.items.push(item);
    }
  }
}

export const total = (c: Cart) => {
  return c.sum();
};

function plain() {
  call(1);
}
`

const cSample = `static int
helper(int a)
{
	return a;
}

int main(int argc, char **argv)
{
	for (;;) {
		helper(1);
	}
	return 0;
}
`

func TestEnclosing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, lang, text, at, want string
	}{
		{"go method", "Go", goSample, "if x > 0", "T.M"}, {"go type", "Go", goSample, "a int", "T"}, {"go constant", "Go", goSample, "const c", ""},
		{"go closure", "Go", goSample, "println", "F"}, {"go broken", "Go", goSample + "\nfunc (", "println", "F"}, {"not go", "Go", "\x00", "\x00", ""},
		{"python method", "Python", pySample, "return 1\n\n        return 2", "A.m"}, {"python after blank", "Python", pySample, "return 2", "A.m"},
		{"python many lines", "Python", pySample, "return q", "A.n"}, {"python field", "Python", pySample, "y = 1", "A"},
		{"python top", "Python", pySample, "    return 1\n\nz", "top"}, {"python module", "Python", pySample, "z = 3", ""},
		{"ts method", "TypeScript", tsSample, "this.items.push", "Cart.add"}, {"ts arrow", "TypeScript", tsSample, "c.sum()", "total"},
		{"ts function", "TypeScript", tsSample, "call(1)", "plain"}, {"ts field", "TypeScript", tsSample, "private items", "Cart"},
		{"c loop", "C", cSample, "helper(1);", "main"}, {"c type on its own line", "C", cSample, "return a;", "helper"},
		{"rust", "Rust", "impl Foo {\n    pub fn bar(&self) -> i32 {\n        1\n    }\n}\n", "        1", "Foo.bar"},
		{"ruby", "Ruby", "module M\n  class C\n    def go!\n      x\n    end\n  end\nend\n", "      x", "M.C.go!"},
		{"python class", "Python", "class Money:\n    def cents(self):\n        return 1\n", "        return 1", "Money.cents"},
		{"java", "Java", "public class A {\n    public static void main(String[] a) {\n        run();\n    }\n}\n", "run()", "A.main"},
		{"data", "YAML", "a:\n  b: 1\n", "b: 1", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			line := 1 + strings.Count(tt.text[:strings.Index(tt.text, tt.at)], "\n")
			s, ok := Read(tt.lang, []byte(tt.text)).Enclosing(line)
			if s.Name != tt.want && (ok || tt.want != "") {
				t.Errorf("line %d: %+v %v, want %s", line, s, ok, tt.want)
			}
			if ok && (!s.Contains(line) || s.End > strings.Count(tt.text, "\n")+1) {
				t.Errorf("%+v does not hold line %d", s, line)
			}
		})
	}
	if got := Read("Java", nil).Name(3, "public void run(int x) {"); got != "run" {
		t.Errorf("section: %q", got)
	}
}

func TestDefinitions(t *testing.T) {
	t.Parallel()
	got := Definitions("p.go", "Go", []byte(goSample), map[string]bool{"T": true, "M": true, "c": true, "none": true}, 4000)
	if len(got) != 3 || got[0].Symbol != "T" || !strings.HasPrefix(got[1].Text, "func (t *T[K]) M") || got[2].Text != "const c = 1\n" {
		t.Errorf("%+v", got)
	}
	py := Definitions("a.py", "Python", []byte(pySample), map[string]bool{"top": true}, 4000)
	if len(py) != 1 || py[0].Text != "def top():\n    return 1\n" {
		t.Errorf("%+v", py)
	}
}

func FuzzEnclosing(f *testing.F) {
	for _, s := range []string{goSample, pySample, tsSample, cSample} {
		f.Add(s, 5)
	}
	f.Add("package a\n\nfunc broken( {\n", 3)
	f.Fuzz(func(t *testing.T, s string, line int) {
		for _, lang := range []string{"Go", "Python", "TypeScript"} {
			if sym, ok := Read(lang, []byte(s)).Enclosing(line); ok && !sym.Contains(line) {
				t.Errorf("%+v does not hold line %d", sym, line)
			}
			Definitions("x", lang, []byte(s), map[string]bool{"a": true, "broken": true}, 100)
		}
	})
}

// Declarations in code that does not parse have no end. Their known lines are shown, and nothing fails.
func TestDefinitionsInBrokenGo(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"package a\n\nfunc broken( {\n", "package a\n\nfunc (x *T) broken(\n", "package a\n\ntype broken struct {\n", "package a\n\nvar broken = [\n", "package a\nfunc broken() {\n\tif {\n", "func broken( {"} {
		for _, p := range Definitions("a.go", "Go", []byte(src), map[string]bool{"broken": true}, 1000) {
			if p.Start < 1 || p.End < p.Start || !strings.Contains(p.Text, "broken") {
				t.Errorf("%q: %+v", src, p)
			}
		}
		Read("Go", []byte(src)).Enclosing(3)
		for _, c := range Contracts("Go", []byte(src)) {
			if c.Start < 1 || c.End < c.Start {
				t.Errorf("%q: %+v", src, c)
			}
		}
	}
}
