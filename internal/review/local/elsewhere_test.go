package local

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/testkit"
)

// hears is a model that finds nothing and records its prompts.
type hears struct{ prompts []string }

func (h *hears) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	h.prompts = append(h.prompts, r.Messages[0].Text)
	return llm.Response{Text: `{"findings":[]}`, StopReason: llm.StopEnd}, nil
}

func (h *hears) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

const leaked = "AKIA" + "Q3EGRX7N5B2VKJ4M"

// elsewhere are the files of a repository that a change does not touch.
var elsewhere = map[string]string{
	"go.mod":          "module example.com/shop\n",
	"shop/price.go":   "package shop\n\n// Price is in cents.\ntype Price struct {\n\tCents int\n}\n\nfunc roundDown(p Price) int { return p.Cents / 100 }\n\nfunc (p Price) Taxed() Price { return Price{p.Cents * 12 / 10} }\n",
	"shop/key.go":     "package shop\n\n// accessKey opens the store.\nfunc accessKey() string {\n\treturn \"" + leaked + "\"\n}\n",
	"shop/a_test.go":  "package shop\n\nfunc helper() int { return 99 }\n",
	"stock/count.go":  "package stock\n\n// CountOf is how many there are.\nfunc CountOf(name string) int {\n\treturn len(name)\n}\n\nfunc roundDown() int { return -77 }\n",
	"other/count.go":  "package other\n\nfunc CountOf(name string) int {\n\treturn -55\n}\n",
	"a/common.go":     "package a\n\nfunc (a A) Common() int { return -1001 }\n",
	"b/common.go":     "package b\n\nfunc (b B) Common() int { return -1002 }\n",
	"c/common.go":     "package c\n\nfunc (c C) Common() int { return -1003 }\n",
	"hidden/h.go":     "package hidden\n\nfunc (h H) OnlyExcluded() int { return -99 }\n",
	"shop/group.go":   "package shop\n\nconst (\n\tlowest  = 7001\n\thighest = 2\n)\n\nconst (\n\tother = iota\n)\n",
	"vendor/v/v.go":   "package v\n\nfunc OnlyVendored() int { return -88 }\n",
	"web/format.ts":   "export function formatPrice(cents: number): string {\n  return `${cents / 100}`;\n}\n\nexport class Basket {\n  addItem(name: string) {\n    return name;\n  }\n}\n",
	"py/money.py":     "class Money:\n    def __init__(self, cents):\n        self.cents = cents\n\n\ndef to_cents(text):\n    return int(float(text) * 100)\n",
	"jv/Account.java": "package jv;\n\npublic class Account {\n    public long openBalance(String owner) {\n        return owner.length();\n    }\n}\n",
}

// The definitions that a change uses from other files are shown to the model if they are in the same
// folder, imported, or unique by name. They have a path and line numbers, and secrets are replaced.
func TestDefinitionsInOtherFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path, text string
		shown, not []string
	}{
		"the same Go package": {"shop/new.go", "package shop\n\nfunc New() int {\n\treturn roundDown(Price{1}) + Price{2}.Taxed().Cents\n}\n",
			[]string{"--- shop/price.go Price\n    4   type Price struct {", "func roundDown(p Price) int", "func (p Price) Taxed() Price"}, []string{"-77"}},
		"a package by its name": {"shop/new.go", "package shop\n\nimport \"example.com/shop/stock\"\n\nfunc New() int {\n\treturn stock.CountOf(\"a\")\n}\n",
			[]string{"--- stock/count.go CountOf\n    4   func CountOf(name string) int {"}, []string{"-55"}},
		"a method with one place":       {"main.go", "package main\n\nfunc main() {\n\tx().Taxed()\n}\n", []string{"func (p Price) Taxed() Price"}, nil},
		"a method with many places":     {"main.go", "package main\n\nfunc main() {\n\tx().Common()\n}\n", nil, []string{"-100"}},
		"a name that is not exported":   {"main.go", "package main\n\nfunc main() {\n\troundDown(1)\n}\n", nil, []string{"roundDown(p Price)", "-77"}},
		"a definition in a test":        {"shop/new.go", "package shop\n\nfunc New() int {\n\treturn helper()\n}\n", nil, []string{"return 99"}},
		"a test that uses another test": {"shop/b_test.go", "package shop\n\nfunc TestIt() {\n\thelper()\n}\n", []string{"func helper() int { return 99 }"}, nil},
		"vendored code":                 {"main.go", "package main\n\nfunc main() {\n\tv.OnlyVendored()\n}\n", nil, []string{"-88"}},
		"a secret":                      {"shop/new.go", "package shop\n\nfunc New() string {\n\treturn accessKey()\n}\n", []string{"func accessKey() string", "[redacted:"}, []string{leaked}},
		"TypeScript": {"web/page.ts", "import { formatPrice, Basket } from \"./format\";\n\nexport function page(b: Basket) {\n  b.addItem(formatPrice(3));\n}\n",
			[]string{"--- web/format.ts formatPrice\n    1   export function formatPrice(cents: number): string {", "export class Basket {"}, nil},
		"Python": {"py/shop.py", "from money import Money, to_cents\n\n\ndef price(text):\n    return Money(to_cents(text))\n",
			[]string{"--- py/money.py Money\n    1   class Money:", "def to_cents(text):"}, nil},
		"Java": {"jv/Bank.java", "package jv;\n\npublic class Bank {\n    long total(Account a) {\n        return a.openBalance(\"x\");\n    }\n}\n",
			[]string{"public class Account {", "public long openBalance(String owner) {"}, nil},
		"a common word beside it":         {"main.go", "package main\n\nfunc main() {\n\tname := 1\n\tdefer f()\n\tx(name).Taxed()\n}\n", []string{"func (p Price) Taxed() Price"}, nil},
		"a constant of a group":           {"shop/new.go", "package shop\n\nfunc New() int {\n\treturn lowest + other\n}\n", []string{"lowest  = 7001", "other = iota"}, nil},
		"a file that the policy excludes": {"main.go", "package main\n\nfunc main() {\n\tx().OnlyExcluded()\n}\n", nil, []string{"-99"}},
		"another language":                {"py/shop.py", "def price():\n    return CountOf(\"a\")\n", nil, []string{"func CountOf"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := repo(t)
			for path, text := range elsewhere {
				write(t, dir, path, text)
			}
			commit(t, dir, "more")
			write(t, dir, c.path, c.text)
			model := &hears{}
			route := ask.Route{Client: model, Model: "m"}
			policy := domain.DefaultPolicy()
			policy.Paths.Exclude = []string{"hidden/"}
			_, err := Run(t.Context(), Options{Dir: dir, Checks: checker, Policy: policy, Models: &ask.Models{Standard: route, Strong: route, Fast: route}})
			testkit.OK(t, err)
			if len(model.prompts) != 1 {
				t.Fatalf("%d prompts", len(model.prompts))
			}
			around, change, _ := strings.Cut(model.prompts[0], "change to review>")
			if len(c.shown) == 0 {
				around = model.prompts[0][:len(model.prompts[0])-len(change)]
			}
			holds(t, around, c.shown, c.not)
		})
	}
}

// holds asserts which texts a context has and lacks, leaving out its random delimiters.
func holds(t *testing.T, around string, shown, not []string) {
	t.Helper()
	around = random.ReplaceAllString(around, "")
	for _, want := range shown {
		if !strings.Contains(around, want) {
			t.Errorf("%q is not in the context:\n%s", want, around)
		}
	}
	for _, other := range not {
		if strings.Contains(around, other) {
			t.Errorf("%q is in the context:\n%s", other, around)
		}
	}
}

// Many names and many files stay within the budget of the context.
func TestDefinitionsInOtherFilesAreBounded(t *testing.T) {
	t.Parallel()
	dir := repo(t)
	var uses strings.Builder
	uses.WriteString("package shop\n\nfunc New() {\n")
	for i := range 400 {
		write(t, dir, fmt.Sprintf("f%d.go", i), fmt.Sprintf("package shop\n\nfunc Defined%d() {\n%s}\n", i, strings.Repeat("\tstep()\n", 60)))
		fmt.Fprintf(&uses, "\tDefined%d()\n", i)
	}
	uses.WriteString("}\n")
	commit(t, dir, "more")
	write(t, dir, "new.go", uses.String())
	model := &hears{}
	route := ask.Route{Client: model, Model: "m"}
	_, err := Run(t.Context(), Options{Dir: dir, Checks: checker, Models: &ask.Models{Standard: route, Strong: route, Fast: route}})
	testkit.OK(t, err)
	around, _, _ := strings.Cut(model.prompts[0], "change to review>")
	if n := strings.Count(around, "--- f"); n == 0 || n > 24 || llm.EstimateTokens(len(around)) > 8_500 {
		t.Errorf("%d definitions in %d bytes", n, len(around))
	}
	if n := strings.Count(around, "step()"); n > 30*24 {
		t.Errorf("%d lines of definitions", n)
	}
}
