package local

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/testkit"
)

const round = "func Round(p Price) (int, error) {\n\tif p.Cents < 0 {\n\t\treturn 0, ErrNone\n\t}\n\tif p.Cents > 9000 {\n\t\treturn 0, ErrNone\n\t}\n\treturn p.Cents / 100, nil\n}\n"

// users are the files of a repository around shop/price.go, py/money.py and web/basket.ts.
var users = map[string]string{
	"go.mod": "module example.com/shop\n",
	"shop/price.go": "package shop\n\nimport \"errors\"\n\n// Price is in cents.\ntype Price struct{ Cents int }\n\nvar ErrNone = errors.New(\"none\")\n\n" +
		"// Round makes whole units.\n" + round + "\n" +
		"func (p Price) Encode(to []byte) error {\n\tcopy(to, \"price\")\n\treturn nil\n}\n\n" +
		"func (p Price) Common() int { return p.Cents }\n\nfunc (p Price) Scale() int { return 1 }\n\nfunc hidden(p Price) int {\n\treturn p.Cents + 1\n}\n",
	"shop/use.go":        "package shop\n\n// Total calls Round for all.\nfunc Total(all []Price) int {\n\tsum := 0\n\tfor _, p := range all {\n\t\tn, _ := Round(p) // near\n\t\tsum += n + hidden(p)\n\t}\n\treturn sum\n}\n",
	"shop/item.go":       "package shop\n\ntype Item struct{ Name string }\n\nfunc (i *Item) Encode(into []byte) error {\n\tif len(into) < len(i.Name) {\n\t\treturn ErrNone // as siblings do\n\t}\n\tcopy(into, i.Name)\n\treturn nil\n}\n\nfunc (i *Item) Common() int { return 4004 }\n\nfunc (i *Item) Round(n int) int { return 4005 * n }\n",
	"shop/other.go":      "package shop\n\ntype Other struct{}\n\nfunc (o Other) Encode() string { return \"another shape\" }\n",
	"shop/price_test.go": "package shop\n\nimport \"testing\"\n\nfunc TestRounding(t *testing.T) {\n\tif n, err := Round(Price{250}); n != 2 || err != nil {\n\t\tt.Error(n)\n\t}\n}\n",
	"cmd/main.go":        "package main\n\nimport \"example.com/shop/shop\"\n\nfunc main() {\n\tn, err := shop.Round(shop.Price{Cents: 3}) // far\n\tprintln(n, err)\n}\n\nfunc sums(p shop.Price) int { return p.Common() + 11 }\n\nfunc items(p *shop.Item) int { return p.Common() + 12 }\n",
	"cmd/text.go":        "package main\n\n// Round is only named here, as shop.Round.\nvar text = \"shop.Round(1)\"\n\nfunc Round() int { return 5005 }\n\nvar _ = Round()\n",
	"cmd/key.go":         "package main\n\nimport \"example.com/shop/shop\"\n\nfunc key() int {\n\tn, _ := shop.Round(shop.Price{}) // keyed\n\tuse(\"" + leaked + "\")\n\treturn n\n}\n",
	"gen/x.pb.go":        "package gen\n\nimport \"example.com/shop/shop\"\n\nvar X, _ = shop.Round(shop.Price{}) // generated\n",
	"vendor/v/v.go":      "package v\n\nimport \"example.com/shop/shop\"\n\nvar X, _ = shop.Round(shop.Price{}) // vendored\n",
	"secret/s.go":        "package secret\n\nimport \"example.com/shop/shop\"\n\nvar X, _ = shop.Round(shop.Price{}) // excluded\n",
	"py/money.py":        "class Money:\n    def __init__(self, cents):\n        self.cents = cents\n\n    def spent(self):\n        return self.cents\n\n\ndef to_cents(text):\n    if not text:\n        raise ValueError(text)\n    return int(float(text) * 100)\n",
	"py/shop.py":         "from money import Money, to_cents\n\n\ndef price(text):\n    # to_cents is fine\n    return Money(to_cents(text))\n\n\ndef rest(m):\n    return m.spent() + 21\n",
	"py/test_money.py":   "from money import to_cents\n\n\ndef test_cents():\n    assert to_cents(\"1.5\") == 150\n",
	"py/dates.py":        "def later(day):\n    return day.spent() + 22\n",
	"cmd/plain.go":       "package main\n\nimport \"example.com/other\"\n\nfunc plain() int { return other.Thing().Scale() + 13 }\n",
	"cmd/third.go":       "package main\n\nimport \"example.org/third/shop\"\n\nfunc third() { shop.Round(15) }\n",
	"cmd/scale.go":       "package main\n\nimport \"example.com/shop/shop\"\n\nfunc scale() int { return shop.Thing().Scale() + 14 }\n",
	"web/basket.ts":      "export class Basket {\n  add(name: string, count: number) {\n    return name.repeat(count);\n  }\n}\n\nexport function show$(b: Basket): string {\n  if (!b) {\n    return \"\";\n  }\n  return b.add(\"x\", 2);\n}\n",
	"web/page.ts":        "import { Basket, show$ } from \"./basket\";\n\nexport function page(b: Basket) {\n  return show$(b) + \"31\";\n}\n",
	"web/box.ts":         "export class Box {\n  add(name: string, count: number) {\n    return count + 32;\n  }\n}\n",
}

// told reviews a change of files and returns the part of the prompt before the change.
func told(t *testing.T, base, change map[string]string, level engine.ContextLevel) string {
	t.Helper()
	return toldIn(t, changing(t, base, change), level)
}

// changing is a checkout with a change of files.
func changing(t *testing.T, base, change map[string]string) (dir string) {
	t.Helper()
	dir = repo(t)
	for path, text := range base {
		write(t, dir, path, text)
	}
	commit(t, dir, "more")
	for path, text := range change {
		if text == "" {
			testkit.OK(t, os.Remove(filepath.Join(dir, path)))
			continue
		}
		write(t, dir, path, text)
	}
	return dir
}

func toldIn(t *testing.T, dir string, level engine.ContextLevel) string {
	t.Helper()
	model := &hears{}
	route := ask.Route{Client: model, Model: "m"}
	policy := domain.DefaultPolicy()
	policy.Paths.Exclude = []string{"secret/"}
	l, err := Options{Dir: dir}.open(t.Context())
	testkit.OK(t, err)
	defer l.Close()
	ch, err := chooseComparison(t.Context(), l, Options{})
	testkit.OK(t, err)
	_, err = engine.New(engine.Deps{Checks: checker}).Review(t.Context(), engine.Input{Repository: "local", MergeBase: ch.MergeBase, Diff: ch.Raw, Source: ch,
		Policy: policy, Full: true, Context: level, Tier: "T1", Models: &ask.Models{Standard: route, Strong: route, Fast: route}})
	testkit.OK(t, err)
	if len(model.prompts) != 1 {
		t.Fatalf("%d prompts", len(model.prompts))
	}
	around, _, _ := strings.Cut(model.prompts[0], "change to review>")
	return around
}

// edited returns a file of users with a part of it replaced.
func edited(t *testing.T, path, old, text string) map[string]string {
	t.Helper()
	if strings.Count(users[path], old) != 1 {
		t.Fatalf("%q is not in %s once", old, path)
	}
	return map[string]string{path: strings.Replace(users[path], old, text, 1)}
}

// If a change removes, renames or changes a symbol, its callers, similar methods and tests that name it
// are shown.
func TestCallersOfAChange(t *testing.T) {
	t.Parallel()
	const price, money, basket = "shop/price.go", "py/money.py", "web/basket.ts"
	gone := edited(t, price, round, "")
	moved := maps.Clone(gone)
	moved["shop/round.go"] = "package shop\n\n" + round
	const left = "(still used here, removed by this change: Round)\n"
	for name, c := range map[string]struct {
		change map[string]string
		shown  []string
		not    []string
	}{
		"a function is removed": {gone, []string{"--- shop/use.go Total " + left, "--- cmd/main.go main " + left, "// near", "// far"},
			[]string{"4005", "5005", "only named here", "Round(15)", "// generated", "// vendored", "// excluded", leaked}},
		"a use beside a secret": {gone, []string{"// keyed", "[redacted:"}, []string{leaked}},
		"a function is renamed": {edited(t, price, "func Round(p", "func RoundOff(p"), []string{"--- shop/use.go Total (still used here, renamed by this change: Round (now RoundOff))\n"}, []string{"5005"}},
		"a function is moved":   {moved, nil, []string{"still used here"}},
		"a parameter is added": {edited(t, price, "func Round(p Price) (", "func Round(p Price, up bool) ("),
			[]string{"--- shop/use.go Total (used here; this change alters the parameters or results of: Round)\n", "--- cmd/main.go main (used here; this change alters the parameters or results of: Round"}, []string{"5005", "4005"}},
		"a parameter is renamed": {edited(t, price, "func Round(p Price) (", "func Round(q Price) ("), []string{"(used here; this change alters the body of: Round"}, []string{"further uses"}},
		"an error is no longer returned": {edited(t, price, "p.Cents < 0 {\n\t\treturn 0, ErrNone\n", "p.Cents < 0 {\n\t\treturn 0, nil\n"),
			[]string{"--- shop/use.go Total (used here; this change alters what is returned by: Round)\n"}, nil},
		"another error is returned":       {edited(t, price, "p.Cents < 0 {\n\t\treturn 0, ErrNone\n", "p.Cents < 0 {\n\t\treturn 0, errors.New(\"x\")\n"), []string{"(used here; this change alters what is returned by: Round"}, nil},
		"a check is removed":              {edited(t, price, "\tif p.Cents > 9000 {\n\t\treturn 0, ErrNone\n\t}\n", ""), []string{"--- cmd/main.go main (used here; this change alters a check in: Round)\n"}, nil},
		"a check is added":                {edited(t, price, "\treturn p.Cents / 100", "\tif p.Cents == 7 {\n\t\treturn 0, ErrNone\n\t}\n\treturn p.Cents / 100"), []string{"(used here; this change alters the body of: Round"}, []string{"further uses"}},
		"a check is another one":          {edited(t, price, "if p.Cents < 0 {", "if p.Cents < -7 {"), []string{"--- cmd/main.go main (used here; this change alters a check in: Round)\n"}, nil},
		"only the body changes":           {edited(t, price, "return p.Cents / 100, nil", "return p.Cents / 1000, nil"), []string{"--- shop/price_test.go TestRounding (a test of: Round)\n", "--- shop/use.go Total (used here; this change alters the body of: Round"}, []string{"further uses"}},
		"a function that is not exported": {edited(t, price, "func hidden(p Price) int {", "func hidden(p Price) int64 {"), []string{"--- shop/use.go Total (used here; this change alters the parameters or results of: hidden"}, nil},
		"a method whose name two types have": {edited(t, price, "func (p Price) Common() int {", "func (p Price) Common() int64 {"),
			[]string{"--- cmd/main.go sums (used here; this change alters the parameters or results of: Common", "p.Common() + 11"}, []string{"p.Common() + 12"}},
		"a method of a value of unknown type": {edited(t, price, "func (p Price) Scale() int {", "func (p Price) Scale() int64 {"), []string{"Scale() + 14"}, []string{"Scale() + 13"}},
		"a method like others": {edited(t, price, "copy(to, \"price\")", "copy(to, \"cents\")"),
			[]string{"--- shop/item.go Item.Encode (the same of another type, beside the changed: Price.Encode)\n", "// as siblings do"}, []string{"another shape"}},
		"a file is deleted": {map[string]string{money: "", "py/new.py": "def new():\n    return 3\n"},
			[]string{"--- py/shop.py price (still used here, removed by this change: Money, to_cents)\n"}, nil},
		"Python: a function is removed": {edited(t, money, "def to_cents(text):\n    if not text:\n        raise ValueError(text)\n", "def from_text(text, sep):\n"),
			[]string{"--- py/shop.py price (still used here, removed by this change: to_cents)\n", "(a test of: to_cents)"}, nil},
		"Python: a check is removed":       {edited(t, money, "    if not text:\n        raise ValueError(text)\n", ""), []string{"--- py/shop.py price (used here; this change alters what is returned by: to_cents)"}, nil},
		"Python: what makes a value":       {edited(t, money, "def __init__(self, cents):", "def __init__(self, cents, currency):"), []string{"(used here; this change alters the parameters or results of: Money", "return Money(to_cents(text))"}, []string{"of: __init__"}},
		"Python: a method of one type":     {edited(t, money, "def spent(self):", "def spent(self, since):"), []string{"--- py/shop.py rest (used here; this change alters the parameters or results of: spent", "m.spent() + 21"}, []string{"spent() + 22"}},
		"TypeScript: a sign in a name":     {edited(t, basket, "function show$(b: Basket): string {", "function show$(b: Basket, n: number): string {"), []string{"--- web/page.ts page (used here; this change alters the parameters or results of: show$", "show$(b) + \"31\""}, nil},
		"TypeScript: a method like others": {edited(t, basket, "return name.repeat(count);", "return name.repeat(count + 1);"), []string{"--- web/box.ts Box.add (the same of another type, beside the changed: Basket.add)", "count + 32"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			around := told(t, users, c.change, "")
			holds(t, around, c.shown, c.not)
		})
	}
}

// Uses of removed symbols come first, then the definitions that the change uses, then its callers, then
// similar methods, then tests.
func TestTheOrderOfTheContext(t *testing.T) {
	t.Parallel()
	change := edited(t, "shop/price.go", "func hidden(p", "func shown(q")
	text := strings.Replace(change["shop/price.go"], "func Round(p Price) (int, error) {", "func Round(p Price, up bool) (int, error) {", 1)
	change["shop/price.go"] = strings.Replace(text, "copy(to, \"price\")", "copy(to, Tail())", 1)
	base := maps.Clone(users)
	base["shop/tail.go"] = "package shop\n\nfunc Tail() string { return \"tail\" }\n"
	around := told(t, base, change, "")
	at := 0
	for _, want := range []string{"surrounding code", "(still used here, renamed by this change: hidden (now shown))", "--- shop/price.go", "--- shop/tail.go Tail\n", "--- cmd/main.go main (used here;", "(the same of another type", "(a test of: Round)"} {
		i := strings.Index(around[at:], want)
		if i < 0 {
			t.Fatalf("%q does not come next:\n%s", want, around)
		}
		at += i
	}
}

// A lower level of context leaves out relations beyond it.
func TestLevelsOfContext(t *testing.T) {
	t.Parallel()
	change := edited(t, "shop/price.go", "func Round(p", "func RoundOff(p")
	for level, shown := range map[engine.ContextLevel]struct{ repository, file bool }{
		engine.ContextNone: {}, engine.ContextFile: {file: true}, engine.ContextRepository: {true, true},
	} {
		t.Run(string(level), func(t *testing.T) {
			t.Parallel()
			around := told(t, users, change, level)
			if got := strings.Contains(around, "still used here"); got != shown.repository {
				t.Errorf("other files: %v\n%s", got, around)
			}
			if got := strings.Contains(around, "type Price struct"); got != shown.file {
				t.Errorf("the file: %v\n%s", got, around)
			}
		})
	}
}

var random = regexp.MustCompile(`(DATA-|cnry)[0-9a-f]+`)

// Many uses of many symbols stay within the budget of the context, and each review shows the same ones.
func TestUsesOfAChangeAreBounded(t *testing.T) {
	t.Parallel()
	base, change := map[string]string{}, map[string]string{}
	var api, calls strings.Builder
	for i := range 60 {
		fmt.Fprintf(&api, "func Api%d(n int) int {\n\treturn n\n}\n\n", i)
		fmt.Fprintf(&calls, "\t_ = Api%d(1)\n", i)
	}
	base["api.go"] = "package shop\n\n" + api.String()
	change["api.go"] = strings.ReplaceAll(base["api.go"], "(n int) int", "(n int64) int")
	for i := range 100 {
		base[fmt.Sprintf("f%d.go", i)] = fmt.Sprintf("package shop\n\nfunc user%d() {\n%s}\n", i, calls.String())
		base[fmt.Sprintf("f%d_test.go", i)] = fmt.Sprintf("package shop\n\nfunc TestUser%d() {\n%s}\n", i, calls.String())
	}
	dir, first := changing(t, base, change), ""
	for range 3 {
		around := toldIn(t, dir, "")
		around = random.ReplaceAllString(around, "")
		if n := strings.Count(around, "(used here; "); n == 0 || n > 12 || llm.EstimateTokens(len(around)) > 8_500 {
			t.Errorf("%d uses in %d bytes", n, len(around))
		}
		if n := strings.Count(around, "(a test of: "); n > 6 {
			t.Errorf("%d tests", n)
		}
		if first == "" {
			first = around
		}
		if around != first {
			t.Errorf("not the same:\n%s\n%s", first, around)
		}
	}
}
