package around

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/structure"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestNamesThatLinesUse(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][]Use{
		"self.close()":         {{"close", "self", true}},
		"self.conn.close()":    {{"conn", "self", false}, {"close", "conn", true}},
		"get().send(x)":        {{"get", "", true}, {"send", unnamed, true}, {"x", "", false}},
		"list[0].name":         {{"list", "", false}, {"name", unnamed, false}},
		"os.path.join(a)":      {{"path", "os", false}, {"join", "path", true}, {"a", "", false}},
		"a + b":                {{"a", "", false}, {"b", "", false}},
		"std::sort(v)":         {{"sort", "std", true}, {"v", "", false}},
		"p->next->free()":      {{"next", "p", false}, {"free", "next", true}},
		"return x()?.y":        {{"return", "", false}, {"x", "", true}, {"y", unnamed, false}},
		"":                     nil,
		"...rest":              {{"rest", unnamed, false}},
		"for i in range(0..n)": {{"for", "", false}, {"i", "", false}, {"in", "", false}, {"range", "", true}, {"n", unnamed, false}},
	} {
		testkit.Equal(t, line, fmt.Sprint(UsesIn(line)), fmt.Sprint(want))
	}
}

// Code within strings has names, and a quote that is a sign of its own does not hide those behind it. Comments and the text of
// strings have none.
func TestNamesInLiterals(t *testing.T) {
	t.Parallel()
	far := strings.Repeat("x = 1;\n", 3)
	for name, c := range map[string]struct{ path, text, want, not string }{
		"a template":               {"a.ts", "log(`Will ${cart.total(shop)} Never ${more}`);\n", "cart total shop more", "Will Never"},
		"a template in a template": {"a.ts", "log(`Will ${cart.filter((x) => `Never ${x.price}`)}`);\n", "cart filter price", "Will Never"},
		"a template over lines":    {"a.js", "log(`Will\n  Never ${cart.total(\n    shop)} Never\n`);\nafter();\n", "cart total shop after", "Will Never"},
		"a string in a template":   {"a.js", "log(`${cart.total('Will', \"Never\")}`);\n", "cart total", "Will Never"},
		"an object in a template":  {"a.js", "log(`${total({ cart: shop })} Will`);\nafter();\n", "total cart shop after", "Will"},
		"an escaped sign":          {"a.js", "log(`\\${Will} ${cart}`);\n", "cart", "Will"},
		"JSX":                      {"a.tsx", "const a = <p>don't {cart.total()} won't {after()}</p>;\n", "cart total after", ""},
		"a pattern with a quote":   {"a.js", "const quote = /[`'\"]/;\nafter();\nrun(x => /`/.test(cart));\nif (x) /`/.test(shop);\nlast();\n", "after run cart shop last", ""},
		"an odd backtick":          {"a.js", "a = b / `;\nafter();\n", "after", ""},
		"division":                 {"a.js", "const a = (cart) / shop / (total);\nafter();\n", "cart shop total after", ""},

		"an f-string":              {"a.py", "log(f\"Will {cart.total(shop)!r} Never {more:>10} {{Will}} {rate:{width}}\")\n", "cart total shop more rate width", "Will Never"},
		"an f-string of its kinds": {"a.py", "log(f'Will {cart}', rf\"{shop}\", F'''Never {total(\"Will\")}''')\n", "cart shop total", "Will Never"},
		"an f-string over lines":   {"a.py", "log(f\"\"\"Will\n  {cart.total(shop)} Never\n\"\"\")\nafter()\n", "cart total shop after", "Will Never"},
		"no f-string":              {"a.py", "log(\"{Will} ${Never}\")\nafter()\n", "after", "Will Never"},
		"a key in an f-string":     {"a.py", "log(f\"{cart['Will'].total()} Never\")\n", "cart total", "Will Never"},

		"Ruby":               {"a.rb", "puts \"Will #{cart.total(shop)} Never\"\nputs 'Never #{Will}'\nafter()\n", "cart total shop after", "Will Never"},
		"a key in Ruby":      {"a.rb", "puts \"Will #{cart[\"Never\"].total} #{shop}\"\n", "cart total shop", "Will"},
		"a document of Ruby": {"a.rb", "a = <<~TEXT\n  Will #{cart.total} Never\nTEXT\nafter()\n", "cart total after", "Will Never"},
		"a raw document":     {"a.rb", "a = <<~'TEXT'\n  Will #{Never}\nTEXT\nafter()\n", "after", "Will Never"},
		"words of Ruby":      {"a.rb", "a = %q(it's Will)\nafter()\nb = %w[don't Never]\nlast()\nc = %Q(#{cart})\n", "after last cart", "Will Never"},
		"a character":        {"a.rb", "a = ?'\nafter()\n", "after", ""},
		"Elixir":             {"a.ex", "IO.puts(\"Will #{cart.total(shop)} Never\")\n", "cart total shop", "Will Never"},
		"Crystal":            {"a.cr", "puts \"Will #{cart.total(shop)} Never\"\n", "cart total shop", "Will Never"},

		"C#":                {"a.cs", "Log($\"Will {cart.Total(shop):F2} Never\");\nLog(\"{Will}\");\nafter();\n", "cart Total shop after", "Will Never F2"},
		"a verbatim string": {"a.cs", "Log($@\"Will \"\"Never\"\" {cart.Total(shop)}\n Never {more}\");\nafter();\n", "cart Total shop more after", "Will Never"},
		"Kotlin":            {"a.kt", "log(\"Will ${cart.total(shop)} Never $more\")\nlog(\"\"\"Will $name\n ${rate()} Never\"\"\")\n", "cart total shop more name rate", "Will Never"},
		"a key in Kotlin":   {"a.kt", "log(\"Will ${cart[\"key\"].total(shop)} Never\")\n", "cart total shop", "Will Never"},
		"Scala":             {"a.scala", "log(s\"Will ${cart.total(shop)} Never $more\")\nlog(\"$Will ${Never}\")\n", "cart total shop more", "Will Never"},
		"Swift":             {"a.swift", "log(\"Will \\(cart.total(shop)) Never\")\n", "cart total shop", "Will Never"},
		"Dart":              {"a.dart", "log('Will ${cart.total(shop)} Never $more');\n", "cart total shop more", "Will Never"},
		"Groovy":            {"a.groovy", "log(\"Will ${cart.total(shop)} Never $more.name\")\nlog('$Will')\n", "cart total shop more name", "Will Never"},
		"PHP":               {"a.php", "<?php\nlog(\"Will {$cart->total($shop)} Never $more->name\");\nlog('$Will');\n", "cart total shop more name", "Will Never"},
		"a shell":           {"a.sh", "echo \"Will $(cart_total shop) Never ${more} $name\"\necho '$Will $(Never)'\nafter\n", "cart_total shop more name after", "Will Never"},
		"an escape":         {"a.sh", "echo don\\'t\nafter\necho 'Will'\n", "after", "Will"},
		"Perl":              {"a.pl", "print \"Will $cart->total Never @{[ shop() ]}\";\n", "cart shop", "Will Never"},
		"Terraform":         {"a.tf", "name = \"Will-${var.cart}-Never\"\n", "cart", "Will Never"},

		"lifetimes":             {"a.rs", "fn f<'a>(x: &'a str) -> Cart<'a> {\n    let c = '\"'; total(x, '\\'');\n}\nfn after() { let s = \"Will\"; }\n", "Cart total after", "Will"},
		"nested comments":       {"a.rs", "/* Will /* Never */ Will */ fn after() {}\n", "after", "Will Never"},
		"text around PHP":       {"a.php", "<p>don't Will</p>\n<?php total($cart); ?>\n<p>it's Never</p>\n<?= $shop->name ?>\n<b>won't Will</b>\n", "total cart shop name", "Will Never"},
		"a comment at its end":  {"a.php", "<?php // Will ?>\n<p>don't Never</p>\n<?php after();\n", "after", "Will Never"},
		"an apostrophe in HTML": {"a.vue", "<template>\n  <p>don't {{ cart.total() }} or won't {{ shop }}</p>\n</template>\n<script>\nafter();\n</script>\n", "cart total shop after", ""},
		"an odd quote":          {"a.js", "x = it' + after(\"Will\"); // Never\nlast();\n", "after last", "Will Never"},
		"a line that goes on":   {"a.c", "char *s = \"Will \\\nNever\";\nafter();\n", "after", "Will"},
		"a comment in a string": {"a.go", "package p\n\nvar s = \"// Will\"\n\nvar r = `Never \" '`\n\nvar t = after('\"')\n", "after", "Will Never"},
		"a comment":             {"a.lua", "-- Will\nafter()\n--[[ Never\n Will ]]\nlast()\n", "after last", "Will Never"},
		"a makefile":            {"Makefile", "# don't Will\nall: after\n\techo 'x'; last\n", "after last", "Will"},
		"a query":               {"a.sql", "-- Will\nselect total from cart where name = 'Never'\n", "total cart name", "Will Never"},
		"OCaml":                 {"a.ml", "(* Will *) let x' = after \"Never\"\nlet y = last x'\n", "after last", "Will Never"},
		"Clojure":               {"a.clj", "; don't Will\n(after 'cart \"Never\")\n", "after cart", "Will Never"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, language := diff.Classify(c.path, nil)
			words := map[string]bool{}
			for _, text := range []string{c.text, far + c.text} { // a hunk alone, and one of a file
				if text != c.text && (strings.HasSuffix(c.path, ".php") || strings.HasSuffix(c.path, ".vue")) {
					continue
				}
				h := &diff.Hunk{}
				for i, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
					h.Lines = append(h.Lines, diff.Line{Op: diff.Add, New: i + 1, Text: l})
				}
				words = NewDefinitions().Words(&change.Target{File: &diff.File{Path: c.path, Language: language}, Hunks: []*diff.Hunk{h}})
				for w := range strings.FieldsSeq(c.want) {
					if !words[w] && !words["$"+w] {
						t.Errorf("no %s among %v", w, slices.Sorted(maps.Keys(words)))
					}
				}
				for w := range strings.FieldsSeq(c.not) {
					if words[w] {
						t.Errorf("%s among %v", w, slices.Sorted(maps.Keys(words)))
					}
				}
			}
		})
	}
}

// Text that is made to be hard to read costs a bounded time.
func TestNamesInHostileLiterals(t *testing.T) {
	t.Parallel()
	const n = 1 << 18
	fill := func(s string) string { return strings.Repeat(s, n/len(s)) }
	for path, piece := range map[string]string{
		"a.py": "f\"{", "b.py": "f\"{{", "c.py": "f\"{a:{", "a.ts": "`${", "b.ts": "'a", "a.rb": "\"#{", "b.rb": "%w(", "c.rb": "?'", "a.kt": "\"${$", "a.cs": "$@\"{", "a.php": "?><?", "b.php": "<?php ?>",
		"a.sh": "\"$(", "a.swift": "\"\\(", "a.rs": "/*", "b.rs": "'a", "a.dart": "'${\"", "a.ex": "\"#{\n", "d.py": "f\"{\n", "c.ts": ") /`/.a",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			_, language := diff.Classify(path, nil)
			took := testkit.Took(func() {
				for _, text := range []string{fill(piece), fill(piece + "\n"), fill("}" + piece)} {
					structure.Bare(language, strings.Split(text, "\n"))
				}
			})
			if took > 30*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// counted counts how often files are read.
type counted struct {
	files map[string]string
	reads map[string]int
}

func (c counted) Blob(_ context.Context, _ domain.Side, path string) ([]byte, error) {
	c.reads[path]++
	return []byte(c.files[path]), nil
}

// A file that many targets use is read once.
func TestAFileIsReadOnce(t *testing.T) {
	t.Parallel()
	src := counted{map[string]string{"lib/large.ts": "export function used(x) {\n  return 1;\n}\n"}, map[string]int{}}
	kept := anchor.NewFiles(src)
	e := NewDefinitions()
	e.Found["used"], e.Files["lib/large.ts"] = []string{"lib/large.ts"}, FileKind{diff.ClassSource, "TypeScript"}
	e.free["lib/large.ts:used"] = true
	const own = "import { used } from './lib/large';\n"
	for i := range 50 {
		path := fmt.Sprintf("a%d.ts", i)
		src.files[path] = own
		h := &diff.Hunk{Lines: []diff.Line{{Op: diff.Add, New: 2, Text: "used(1);"}}}
		target := &change.Target{File: &diff.File{Path: path, Language: "TypeScript", Status: diff.Modified}, Hunks: []*diff.Hunk{h}}
		if got := e.InOthers(t.Context(), target, []byte(own), kept, 1000); len(got) != 1 {
			t.Fatalf("%d definitions", len(got))
		}
	}
	if n := src.reads["lib/large.ts"]; n != 1 {
		t.Errorf("read %d times", n)
	}
}

// Only the lines of the hunks are kept of a large file.
func TestOnlyLinesOfHunksAreKept(t *testing.T) {
	t.Parallel()
	text := "/* " + strings.Repeat("Will\n", 10_000) + "*/\n" + strings.Repeat("total(cart);\n", 10_000)
	src := counted{map[string]string{"a.ts": text}, map[string]int{}}
	line := func(n int) diff.Line { return diff.Line{Op: diff.Add, New: n, Text: strings.Split(text, "\n")[n-1]} }
	target := &change.Target{File: &diff.File{Path: "a.ts", Language: "TypeScript", Status: diff.Modified}, Hunks: []*diff.Hunk{{Lines: []diff.Line{line(5000), line(15_000)}}}}
	e := NewDefinitions()
	e.readCode(t.Context(), src, []*change.Target{target})
	if n := len(e.code["a.ts"][1]); n != 2 {
		t.Errorf("%d lines are kept", n)
	}
	if words := e.Words(target); !words["total"] || words["Will"] {
		t.Errorf("words %v", words)
	}
}
