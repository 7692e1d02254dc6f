package structure

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The contract of a definition is read from its text: parameters and results, the kinds of its results,
// and its guards.
func TestContracts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		language, code string
		want           []string // name, kind, signature, returns, guards
	}{
		"a function of Go": {"Go", "package p\n\n// F.\nfunc F(a, b int, _ ...string) (n int, err error) {\n\tif a < b {\n\t\treturn 0, ErrSmall\n\t}\n\tif b == 0 {\n\t\tpanic(\"b\")\n\t}\n\tif a == 7 {\n\t\ta++\n\t}\n\tgo func() error { return io.EOF }()\n\treturn a, fmt.Errorf(\"x: %w\", err)\n}\n",
			[]string{`F func ()(int,int,...string,)(int,error,) [0,ErrSmall value,wrapped error] [a<b b==0]`}},
		"methods and types of Go": {"Go", "package p\n\ntype (\n\tA struct{ x int }\n\tI interface{ M() }\n)\n\nfunc (a *A) M() {}\n\nfunc (l List[T]) N() error { return nil }\n\nvar x, _ int = 1, 2\n",
			[]string{"A type struct [] []", "I type interface{M()} [] []", "A.M func ()()() [] []", "List.N func ()()(error,) [nil] []", "x value int [] []"}},
		"invalid Go": {"Go", "package p\n\nfunc (", nil},
		"Python": {"Python", "class A(B):\n    def m(self, a=1,\n          b=2) -> int:\n        if not a:\n            return None\n        for x in b:\n            if x:\n                continue\n        raise KeyError(a)\n\n\ndef f(x): return x\n",
			[]string{"A type  [] []", "A.m func (self,a=1,b=2)->int [raise KeyError return None] [nota x]", "f func (x):returnx [return value] []"}},
		"TypeScript": {"TypeScript", "export class A {\n  private m(a: string): void {\n    if (!a) { throw new TypeError(a); }\n    return;\n  }\n}\n\nconst f = (x: number) => {\n  if (x > 1)\n    return null;\n  return x;\n};\n",
			[]string{"A type  [] []", "A.m func (a:string):void [return  throw TypeError] [(!a)]", "f func =(x:number)=> [return null return value] [(x>1)]"}},
		"Java": {"Java", "class A {\n    long m(String s) throws E {\n        if (s == null) {\n            return 0;\n        } else if (s.isEmpty()) {\n            throw new E();\n        }\n        return s.length();\n    }\n}\n",
			[]string{"A type  [] []", "A.m func (Strings)throwsE [return 0 return value throw E] [(s.isEmpty()) (s==null)]"}},
		"a language without a form": {"YAML", "a:\n  b: 1\n", nil},
		"nothing":                   {"Python", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, c := range Contracts(c.language, []byte(c.code)) {
				got = append(got, fmt.Sprintf("%s %s %s %v %v", c.Name, c.Kind, c.Signature, c.Returns, c.Guards))
			}
			if name == "invalid Go" {
				got = nil // any result is right for text that is not Go
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// Uses of names are found with the qualifier before their dot.
func TestUsesInGo(t *testing.T) {
	t.Parallel()
	const code = `package p

import (
	"x/store"
	other "x/go-thing/v2"
)

type T struct {
	db   *store.DB
	kids []*Kid
	by   map[string]Kid
	far  Elsewhere
	Emb
}

type Kid struct{ up *T }

var global = NewKid(1)

func make1() (*T, error) { return nil, nil }

// Get is named here.
func (t *T) use(k Kid, all ...Kid) {
	t.db.Get(1)
	k.Get()
	k.up.kids[0].Get()
	for _, x := range t.kids {
		x.Get()
	}
	for _, y := range all {
		y.Get()
	}
	store.Get("Get")
	other.Get()
	a, err := make1()
	a.db.Get()
	b := &Kid{}
	b.Get()
	c := unknown()
	c.Get()
	t.far.deep.Get()
	global.Get()
	_ = T{Get: Get}
	d := new(Kid)
	d.Get()
	e := any(t).(*Kid)
	e.Get()
	t.by["x"].Get()
	t.Emb.Get()
	_ = err
}

func shadow(Get int) int { return Get }

func Get() {}
`
	want := []string{"24 DB", "25 Kid", "26 Kid", "28 Kid", "31 Kid", "33 import x/store", "34 import x/go-thing/v2", "36 DB", "38 Kid", "40 ?", "41 Elsewhere deep", "42 Kid", "43 plain", "45 Kid",
		"47 Kid", "48 Kid", "49 Emb"}
	pkg, uses := GoUses([]byte(code), map[string]bool{"Get": true})
	var got []string
	for _, u := range uses {
		s := fmt.Sprint(u.Line, " ")
		switch {
		case u.Import != "":
			s += "import " + u.Import
		case !u.Dotted:
			s += "plain"
		case u.Type == "":
			s += "?"
		default:
			s += strings.Join(append([]string{u.Type}, u.Fields...), " ")
		}
		got = append(got, s)
	}
	if pkg != "p" || !slices.Equal(got, want) {
		t.Errorf("%s\ngot  %q\nwant %q", pkg, got, want)
	}
	if got := GoField([]byte(code), "T", "db"); got != "DB" {
		t.Errorf("field %q", got)
	}
	if got := GoField([]byte(code), "T", "none"); got != "" {
		t.Errorf("field %q", got)
	}
}

// Code with cycles or long chains is read to its end.
func TestUsesInHostileGo(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"a variable of itself":  "package p\n\nvar a = b\nvar b = a\n\nfunc f() { x := x; x.Get(); a.Get(); b.Get() }\n",
		"a type of itself":      "package p\n\ntype T struct{ t T }\n\nfunc f(t T) { t" + strings.Repeat(".t", 3000) + ".Get() }\n",
		"calls of calls":        "package p\n\nfunc f() { " + strings.Repeat("g(", 1500) + "x.Get()" + strings.Repeat(")", 1500) + " }\n",
		"calls behind calls":    "package p\n\nfunc f() { x" + strings.Repeat(".g()", 1500) + ".Get() }\n",
		"elements of elements":  "package p\n\nvar x [][]T\n\nfunc f() { x" + strings.Repeat("[0]", 3000) + ".Get() }\n",
		"an import of nothing":  "package p\n\nimport \"\"\nimport \"/\"\nimport \"v2\"\n\nfunc f() { x.Get() }\n",
		"more than are counted": "package p\n\nfunc f() {\n" + strings.Repeat("\tx.Get()\n", 5000) + "}\n",
		"a receiver of nothing": "package p\n\nfunc () Get() {}\n\nfunc (a, b T) Get() {}\n\nvar = 1\n\ntype T = \n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, uses := GoUses([]byte(code), map[string]bool{"Get": true}); len(uses) > maxUses {
				t.Errorf("%d uses", len(uses))
			}
			Contracts("Go", []byte(code))
			GoField([]byte(code), "T", "t")
		})
	}
}

// A file with many nested definitions is read within bounds.
func TestContractsAreBounded(t *testing.T) {
	t.Parallel()
	var nested, flat strings.Builder
	for i := range 3000 {
		nested.WriteString(strings.Repeat(" ", min(i, 100)) + fmt.Sprintf("def f%d(a):\n", i))
		fmt.Fprintf(&flat, "def g%d(a):\n    return a\n", i)
	}
	for name, code := range map[string]string{"nested": nested.String(), "flat": flat.String(), "long": strings.Repeat("def f():\n", maxContract+1)} {
		got := Contracts("Python", []byte(code))
		if len(got) > MaxContracts || name == "long" && got != nil {
			t.Errorf("%s: %d", name, len(got))
		}
	}
}

func TestCode(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"Go x // y": "x ", "Go // y": "", "Go  * y": "", "Go \"//\" + x": "\"//\" + x", "Go \"\\\"//\" // y": "\"\\\"//\" ",
		"Python x # y": "x ", "Python # y": "", "Python a // b": "a // b", "SQL x -- y": "x ", "Go ": "",
		"Bash x # y": "x ", "Bash ${#x} # y": "${#x} ", "Docker RUN x # y": "RUN x ", "Makefile # y": "", "Terraform x # y": "x ", "PHP x # y": "x ",
		"PHP x // y": "x ", "Rust fn f<'a>() // y": "fn f<'a>() ", "Clojure x ; y": "x ", "YAML a: b # y": "a: b ", "JavaScript /`/.test(x) // y": "/`/.test(x) ",
	} {
		language, text, _ := strings.Cut(line, " ")
		if got := Code(language, text); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
