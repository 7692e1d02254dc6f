package lookup

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/snapshot"
)

// shopTree is a repository in four languages.
var shopTree = enginetest.Tree{
	"go.mod":           "module example.com/shop\n\ngo 1.26\n",
	"cart/cart.go":     "package cart\n\nimport (\n\t\"context\"\n\n\t\"example.com/shop/orders\"\n)\n\nfunc Sum(list []*orders.Order, s Store) int {\n\tsum := limit\n\tfor _, o := range list {\n\t\tsum += o.Total()\n\t}\n\tif err := s.Save(context.Background(), orders.New(sum)); err != nil {\n\t\treturn 0\n\t}\n\treturn sum\n}\n",
	"cart/store.go":    "package cart\n\nimport \"context\"\n\n// limit is the least sum.\nconst limit = 3\n\n// Store keeps orders.\ntype Store interface {\n\t// Save stores an order; an order of 0 is refused.\n\tSave(ctx context.Context, o any) error\n}\n",
	"orders/orders.go": "package orders\n\n// Order is what somebody buys.\ntype Order struct{ sum int }\n\n// New makes an order.\nfunc New(sum int) *Order { return &Order{sum} }\n\n// Total is its price.\nfunc (o *Order) Total() int {\n\treturn o.sum\n}\n",
	"bills/bills.go":   "package bills\n\ntype Bill struct{ n int }\n\nfunc New(n int) *Bill { return &Bill{n} }\n\nfunc (b *Bill) Total() int { return -b.n }\n",
	"report/report.go": "package report\n\nimport \"example.com/shop/orders\"\n\nfunc Print(o *orders.Order) int {\n\treturn o.Total() + orders.New(1).Total()\n}\n",
	"orders/o_test.go": "package orders\n\nimport \"testing\"\n\nfunc TestNew(t *testing.T) {\n\tif New(1).Total() != 1 {\n\t\tt.Fatal()\n\t}\n}\n",
	"vendor/v/v.go":    "package v\n\nfunc Sum() int { return 0 }\n",
	"web/db.ts":        "export interface Pool {\n  /** Whoever takes one must release it. */\n  connect(): Promise<Connection>;\n}\n\nexport function open(url: string): Pool {\n  return make(url);\n}\n",
	"web/app.ts":       "import { Pool, open } from \"./db\";\n\nexport async function start(url: string) {\n  const pool: Pool = open(url);\n  const c = await pool.connect();\n  return c;\n}\n",
	"py/store.py":      "class Store:\n    def find(self, key):\n        return self.rows[key]\n\n\nclass Missing(Exception):\n    pass\n",
	"py/view.py":       "from .store import Missing, Store\n\n\ndef show(store, key):\n    try:\n        return store.find(key)\n    except Missing:\n        return None\n",
	"java/Ledger.java": "package shop;\n\npublic interface Ledger {\n    Entry locked(long id, Tx tx);\n}\n",
	"java/Book.java":   "package shop;\n\npublic class Book {\n    private final Ledger ledger;\n\n    public void add(long id, Tx tx) {\n        Entry e = ledger.locked(id, tx);\n        e.touch();\n    }\n}\n",
	"java/Entry.java":  "package shop;\n\npublic class Entry {\n    public void touch() {\n        this.n++;\n        flush(this);\n    }\n}\n",
	"other/o.go":       "package other\n\nimport \"context\"\n\nfunc Background() context.Context { return nil }\n",
	"deep/a/d.go":      "package a\n\nfunc Same() {}\n",
	"deep/b/d.go":      "package b\n\nfunc Same() {}\n",
	"deep/c/d.go":      "package c\n\nfunc Same() {}\n",
	"deep/d/d.go":      "package d\n\nfunc Same() {}\n",
	"conf/app.yaml":    "listen_address: 1\n",
}

// shopBox is the toolbox of a change that touches a file of each language.
func shopBox(t testing.TB) *Toolbox {
	t.Helper()
	head := maps.Clone(shopTree)
	for _, p := range []string{"cart/cart.go", "web/app.ts", "py/view.py", "java/Book.java"} {
		comment := "// "
		if strings.HasSuffix(p, ".py") {
			comment = "# "
		}
		head[p] += comment + "the end\n"
	}
	box := boxOf(t, shopTree, head)
	box.calls, box.patience = 1000, time.Minute // the machine may be busy
	return box
}

func TestDefinitionsByTool(t *testing.T) {
	t.Parallel()
	box := shopBox(t)
	for what, c := range map[string]struct {
		name, path string // "" for null
		text       string // text that the answer has
		hits       int    // 0 for a refusal, -1 for an answer without hits
		without    string
	}{
		"a function of a package":     {"orders.New", "cart/cart.go", "--- orders/orders.go New\n    7   func New(sum int) *Order { return &Order{sum} }\n", 1, "bills"},
		"without its package":         {"New", "cart/cart.go", "--- orders/orders.go New\n", 1, "bills"},
		"as the change would use it":  {"orders.New", "", "--- orders/orders.go New\n", 1, "bills"},
		"a method by its value":       {"o.Total", "report/report.go", "func (o *Order) Total() int {\n   11   \treturn o.sum\n   12   }\n", 1, ""},
		"a method of a type":          {"Bill.Total", "cart/cart.go", "--- bills/bills.go Bill.Total\n", 1, "--- orders"},
		"a type":                      {"orders.Order", "cart/cart.go", "    4   type Order struct{ sum int }", 1, ""},
		"a constant of the package":   {"limit", "cart/cart.go", "--- cart/store.go limit\n    6   const limit = 3\n", 1, ""},
		"a method of an interface":    {"s.Save", "cart/cart.go", "--- cart/store.go Store.Save\n   10   \t// Save stores an order; an order of 0 is refused.\n   11   \tSave(ctx context.Context, o any) error\n", 1, ""},
		"its own file":                {"Sum", "cart/cart.go", "--- cart/cart.go Sum\n    9   func Sum(", 1, "vendor"},
		"the file that defines it":    {"Order", "orders/orders.go", "    4   type Order struct", 1, ""},
		"two, either may be meant":    {"Total", "cart/store.go", "--- orders/orders.go Order.Total", 2, ""},
		"several, none of them meant": {"Same", "cart/cart.go", "--- deep/c/d.go Same (one of several: nothing says which is meant)\n    3   func Same() {}\nfurther definitions: deep/d/d.go:3 Same\n", 3, ""},
		"a function of TypeScript":    {"open", "web/app.ts", "--- web/db.ts open\n    6   export function open(url: string): Pool {\n", 1, ""},
		"an interface of TypeScript":  {"Pool", "web/app.ts", "    1   export interface Pool {\n", 1, ""},
		"its method":                  {"pool.connect", "web/app.ts", "    2     /** Whoever takes one must release it. */\n    3     connect(): Promise<Connection>;\n", 1, ""},
		"a method of Python":          {"store.find", "py/view.py", "    2       def find(self, key):\n", 1, ""},
		"a class of Python":           {"Missing", "", "    6   class Missing(Exception):\n", 1, ""},
		"a method of Java":            {"e.touch", "java/Book.java", "--- java/Entry.java Entry.touch\n", 1, ""},
		"of a Java interface":         {"ledger.locked", "java/Book.java", "    4       Entry locked(long id, Tx tx);\n", 1, ""},
		"nothing of the repository":   {"context.Background", "cart/cart.go", sayStands, 2, "--- vendor"},
		"nothing that is only called": {"flush", "java/Entry.java", sayStands + "\n--- java/Entry.java Entry.touch\n", 1, ""},
		"nothing that is local":       {"sum", "cart/cart.go", sayStands + "\n--- cart/cart.go Sum\n", 8, ""},
		"a word of the language":      {"return", "cart/cart.go", sayKeyword, -1, ""},
		"nothing that occurs":         {"nobodyHasThis", "cart/cart.go", sayNowhere, -1, ""},
		"no name":                     {"", "", sayName, 0, ""},
		"two names":                   {"a b", "", sayName, 0, ""},
		"an expression":               {".*", "", sayName, 0, ""},
		"a call":                      {"New(1)", "", sayName, 0, ""},
		"an option":                   {"--all", "", sayName, 0, ""},
		"a long name":                 {strings.Repeat("x", 201), "", sayName, 0, ""},
		"a short name":                {"x", "", sayShort, 0, ""},
		"a path out of the tree":      {"New", "../cart.go", sayPath, 0, ""},
		"an invalid path":             {"New", "cart/none.go", sayAbsent, 0, ""},
		"a folder as a path":          {"New", "cart", sayFolder, 0, ""},
		"no code as a path":           {"Store", "conf/app.yaml", "--- cart/store.go Store\n", 1, ""},
		"many parts":                  {strings.TrimSuffix(strings.Repeat("a.", 60), ".") + ".New", "cart/cart.go", "orders.go", 1, ""},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			arguments := ask.Schema{"name": c.name, "path": nil}
			if c.path != "" {
				arguments["path"] = c.path
			}
			got := asked(t, box, "definition", arguments)
			if !strings.Contains(got.Text, c.text) || c.without != "" && strings.Contains(got.Text, c.without) {
				t.Errorf("%q", got.Text)
			}
			if got.OK != (c.hits != 0) || got.Hits != max(c.hits, 0) || len(got.Seen) != max(c.hits, 0) {
				t.Errorf("%s ok %v, %d hits, %d exhibits, want %d", got.Text, got.OK, got.Hits, len(got.Seen), c.hits)
			}
		})
	}
}

func TestReferencesByTool(t *testing.T) {
	t.Parallel()
	box := shopBox(t)
	for what, c := range map[string]struct {
		name, path string
		text       []string
		hits       int
		without    string
	}{
		"a method":                    {"Order.Total", "cart/cart.go", []string{"--- cart/cart.go Sum", "   12   \t\tsum += o.Total()", "--- report/report.go Print", "--- orders/o_test.go TestNew"}, 3, "bills"},
		"a function":                  {"orders.New", "cart/cart.go", []string{"   14   \tif err := s.Save(", "report.go", "o_test.go"}, 3, "bills"},
		"where it is defined":         {"New", "bills/bills.go", []string{"no use is known by its place"}, -1, ""},
		"a function of TypeScript":    {"open", "web/db.ts", []string{"--- web/app.ts start", "    4     const pool: Pool = open(url);"}, 1, ""},
		"a class of Python":           {"Missing", "py/store.py", []string{"--- py/view.py", "except Missing"}, 1, ""},
		"a word without a definition": {"listen_address", "", []string{"no use is known by its place", "--- conf/app.yaml\n    1   listen_address: 1\n"}, 1, ""},
		"of an interface":             {"ledger.locked", "java/Book.java", []string{"--- java/Book.java", "ledger.locked(id, tx)"}, 1, sayWords},
		"a word that does not occur":  {"nobody_has_this", "", []string{sayNone}, 0, ""},
		"a short name":                {"ab", "", []string{sayShort}, 0, ""},
		"no name":                     {"a-b", "", []string{sayName}, 0, ""},
		"an invalid path":             {"New", "/cart.go", []string{sayPath}, 0, ""},
		"useless arguments":           {"New", "\x00", []string{sayPath}, 0, ""},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			arguments := ask.Schema{"name": c.name, "path": nil}
			if c.path != "" {
				arguments["path"] = c.path
			}
			got := asked(t, box, "references", arguments)
			for _, text := range c.text {
				if !strings.Contains(got.Text, text) {
					t.Errorf("%q is not in %q", text, got.Text)
				}
			}
			if c.without != "" && strings.Contains(got.Text, c.without) || c.hits >= 0 && got.Hits != c.hits {
				t.Errorf("%d hits, want %d: %q", got.Hits, c.hits, got.Text)
			}
		})
	}
}

// A name that occurs in thousands of places does not fill a result.
func TestReferencesAreBounded(t *testing.T) {
	t.Parallel()
	base := enginetest.Tree{"go.mod": "module example.com/m\n", "a/a.go": "package a\n\nfunc Busy() {}\n"}
	for i := range 20 {
		base[fmt.Sprintf("a/u%d.go", i)] = "package a\n\nfunc u() {\n" + strings.Repeat("\tBusy()\n\n\n\n", 100) + "}\n"
	}
	for i := range 100 {
		base[fmt.Sprintf("docs/d%d.txt", i)] = strings.Repeat("Busy\n", 100)
	}
	box := boxOf(t, base, enginetest.Merged(base, enginetest.Tree{"a/a.go": "package a\n\nfunc Busy() { return }\n"}))
	got := asked(t, box, "references", ask.Schema{"name": "Busy", "path": "a/a.go"})
	if got.Hits != toolHits || !strings.Contains(got.Text, "[there are more") && !strings.Contains(got.Text, sayCut) || llm.EstimateTokens(len(got.Text)) > ClaimTokens {
		t.Errorf("%d hits, %d bytes: %s", got.Hits, len(got.Text), got.Text)
	}
	got = asked(t, box, "search", ask.Schema{"query": "Busy", "kind": "text", "glob": nil})
	if got.Hits != toolHits || !strings.Contains(got.Text, sayMore) {
		t.Errorf("%d hits: %s", got.Hits, got.Text)
	}
}

// claimAbout is the anchor of a claim about some lines.
func claimAbout(path string, side domain.Side, first, last int) domain.Anchor {
	return domain.Anchor{Path: path, Side: side, StartLine: first, EndLine: last}
}

// A claim comes with the definitions of its names and the callers of the code around it.
func TestContextOfAClaim(t *testing.T) {
	t.Parallel()
	box := shopBox(t)
	for what, c := range map[string]struct {
		at      domain.Anchor
		there   []string
		without string
	}{
		"names of other files":      {claimAbout("cart/cart.go", domain.Right, 14, 14), []string{"--- orders/orders.go New", "--- cart/store.go Store.Save", "refused."}, "--- cart/cart.go"},
		"names near the line":       {claimAbout("cart/cart.go", domain.Right, 17, 17), []string{"--- cart/store.go limit"}, ""},
		"its callers":               {claimAbout("orders/orders.go", domain.Right, 11, 11), []string{"uses of Order.Total:", "--- cart/cart.go Sum\n   11   ", "--- report/report.go Print", "o_test.go"}, "--- orders/orders.go"},
		"callers of what it calls":  {claimAbout("cart/cart.go", domain.Right, 14, 14), []string{"uses of New:", "--- report/report.go Print"}, ""},
		"a removed line":            {claimAbout("cart/cart.go", domain.Left, 12, 12), []string{"Order.Total"}, ""},
		"a claim of TypeScript":     {claimAbout("web/app.ts", domain.Right, 5, 5), []string{"--- web/db.ts Pool.connect", "must release it", "--- web/db.ts open"}, ""},
		"a claim of Python":         {claimAbout("py/view.py", domain.Right, 6, 6), []string{"--- py/store.py Store.find"}, ""},
		"a claim of Java":           {claimAbout("java/Book.java", domain.Right, 7, 8), []string{"--- java/Ledger.java Ledger.locked", "--- java/Entry.java Entry.touch"}, ""},
		"a claim beyond the file":   {claimAbout("cart/cart.go", domain.Right, 500, 510), nil, ""},
		"a claim on a file":         {domain.Anchor{Path: "cart/cart.go", Side: domain.Right, Quote: "sum += o.Total()"}, []string{"Order.Total"}, ""},
		"a claim on no code":        {claimAbout("conf/app.yaml", domain.Right, 1, 1), nil, "---"},
		"a claim on no file":        {claimAbout("none.go", domain.Right, 1, 1), nil, "---"},
		"a claim on the whole":      {domain.Anchor{}, nil, "---"},
		"a claim out of the tree":   {claimAbout("../cart.go", domain.Right, 1, 1), nil, "---"},
		"a claim on too many lines": {claimAbout("cart/cart.go", domain.Right, 1, 1<<40), []string{"--- orders/orders.go New"}, ""},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			text, seen := box.Beside(t.Context(), c.at)
			for _, want := range c.there {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not in\n%s", want, text)
				}
			}
			if c.without != "" && strings.Contains(text, c.without) {
				t.Errorf("%q is in\n%s", c.without, text)
			}
			shown := len(regexp.MustCompile(`(?m)^--- `).FindAllString(text, -1)) > 0
			if shown != (len(seen) > 0) || llm.EstimateTokens(len(text)) > ClaimTokens {
				t.Errorf("%d exhibits of %d bytes", len(seen), len(text))
			}
		})
	}
}

// Context that has no room beside a claim is left out, with a note. Definitions of the claimed names
// come first.
func TestBesideHasRoom(t *testing.T) {
	t.Parallel()
	base := enginetest.Tree{"go.mod": "module example.com/m\n", "a/a.go": "package a\n"}
	body := "package a\n\nfunc all() {\n"
	for i := range 30 {
		body += fmt.Sprintf("\tdo%d()\n", i)
		base[fmt.Sprintf("a/b%d.go", i)] = fmt.Sprintf("package a\n\nfunc do%d() {\n%s}\n", i, strings.Repeat("\tprintln(\"a line that takes some room\")\n", 40))
	}
	box := boxOf(t, base, enginetest.Merged(base, enginetest.Tree{"a/a.go": body + "}\n"}))
	text, seen := box.Beside(t.Context(), claimAbout("a/a.go", domain.Right, 20, 20))
	if !strings.Contains(text, "--- a/b16.go do16\n    3   func do16() {\n") || !strings.Contains(text, sayRest) || len(seen) < 2 || llm.EstimateTokens(len(text)) > ClaimTokens {
		t.Errorf("%d bytes: %s", len(text), text)
	}
}

// If a search fails, the results so far are shown, with a note that they are incomplete.
func TestBesideOfASearchThatFails(t *testing.T) {
	t.Parallel()
	raw := []byte(enginetest.Unified("a.go", "package a\n", "package a\n\nvar x = Other()\n"))
	src := enginetest.Searched{Files: enginetest.Files{"RIGHT:a.go": "package a\n\nvar x = Other() + Own()\n" + strings.Repeat("\n", 100) + "func Own() int { return 1 }\n"},
		Find: func(context.Context, string) ([]snapshot.Match, error) { return nil, errors.New("broken") }}
	box := boxFor(t, raw, src, domain.DefaultPolicy())
	text, _ := box.Beside(t.Context(), claimAbout("a.go", domain.Right, 3, 3))
	if !strings.Contains(text, sayPart) || !strings.Contains(text, "--- a.go Own\n  104   func Own()") {
		t.Errorf("%q", text)
	}
	if got := asked(t, box, "definition", ask.Schema{"name": "Own", "path": "a.go"}); got.Hits != 1 {
		t.Errorf("%+v", got)
	}
}

// A definition in a file that is too large is found, and not shown.
func TestDefinitionsInFilesThatAreNotShown(t *testing.T) {
	t.Parallel()
	base := enginetest.Tree{"go.mod": "module example.com/m\n", "a/a.go": "package a\n", "a/large.go": "package a\n\nfunc Big() {}\n" + strings.Repeat("// 0123456789 0123456789\n", maxToolFile/20)}
	box := boxOf(t, base, enginetest.Merged(base, enginetest.Tree{"a/a.go": "package a\n\nvar x = Big\n"}))
	if got := asked(t, box, "definition", ask.Schema{"name": "Big", "path": "a/a.go"}); !strings.Contains(got.Text, "--- a/a.go\n") || strings.Contains(got.Text, "func Big") {
		t.Errorf("%+v", got)
	}
}

// Claims beyond the bounds of a review get no context, with a note.
func TestBesideIsBounded(t *testing.T) {
	t.Parallel()
	box := shopBox(t)
	box.claims = 1
	if text, _ := box.Beside(t.Context(), claimAbout("cart/cart.go", domain.Right, 14, 14)); !strings.Contains(text, "---") {
		t.Errorf("%q", text)
	}
	if text, seen := box.Beside(t.Context(), claimAbout("cart/cart.go", domain.Right, 14, 14)); text != sayNotBeside || seen != nil {
		t.Errorf("beyond the bounds: %q", text)
	}
}

// A quotation of code that a tool showed may prove a claim, and its path is recorded.
func TestQuotesFromToolsMayProve(t *testing.T) {
	t.Parallel()
	box := shopBox(t)
	got := asked(t, box, "definition", ask.Schema{"name": "s.Save", "path": "cart/cart.go"})
	if len(got.Seen) != 1 || got.Seen[0].Path != "cart/store.go" {
		t.Fatalf("%+v", got.Seen)
	}
	e := got.Seen[0]
	for quote, want := range map[string]bool{
		"Save(ctx context.Context, o any) error":           true,
		"   11   \tSave(ctx context.Context, o any) error": true,
		"// Save stores an order; an order of 0":           false,
		"type Store interface {":                           false,
		"return &Order{sum}":                               false,
	} {
		if is := change.Proven([]change.Exhibit{e}, quote, func(e change.Exhibit, q string) bool { return e.Proves(q, e.Code, true) }); is != want {
			t.Errorf("%q proves %v", quote, is)
		}
	}
}
