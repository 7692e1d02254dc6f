package reviews

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval/cases"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/sim/model/prompt"
)

const (
	cart = "package cart\n\n// Item is a line of a cart.\ntype Item struct {\n\tName  string\n\tCents int\n\tCount int\n}\n\n// Total is the price of all items in cents.\nfunc Total(items []Item) int {\n\tsum := 0\n\tfor _, it := range items {\n\t\tsum += it.Cents * it.Count\n\t}\n\treturn sum\n}\n"
	mean = "\n// Mean is the mean price of a piece in cents.\nfunc Mean(items []Item) int {\n\tpieces := 0\n\tfor _, it := range items {\n\t\tpieces += it.Count\n\t}\n\treturn Total(items) / pieces\n}\n"
	page = "package cart\n\nimport \"fmt\"\n\n// Page shows ten items, beginning with page 1.\nfunc Page(items []Item, page int) []Item {\n\tfirst := page * 10\n\treturn items[first : first+10]\n}\n\n// Label names an item.\nfunc Label(it Item) string {\n\treturn fmt.Sprintf(\"%s (%d)\", it.Name, it.Cents)\n}\n"
	sale = "package cart\n\nimport \"net/http\"\n\n// Notify tells the shop of a sale.\nfunc Notify(client *http.Client, url string) error {\n\tres, err := client.Get(url)\n\tif err != nil {\n\t\treturn err\n\t}\n\tif res.StatusCode != http.StatusOK {\n\t\treturn nil\n\t}\n\treturn res.Body.Close()\n}\n"
)

// lines returns the first and last line of a piece of text.
func lines(text, piece string) (first, last int) {
	before, _, found := strings.Cut(text, piece)
	if !found {
		panic("the text has no such piece: " + piece)
	}
	first = strings.Count(before, "\n") + 1
	return first, first + strings.Count(piece, "\n")
}

// at places a finding on a piece of a file.
func at(path, text, piece string, f prompt.Found) prompt.Found {
	f.Path, f.Quote = path, piece
	f.Start, f.End = lines(text, piece)
	return f
}

func all() []told {
	return []told{nothing(), one(), several(), secrets(), rule(), incomplete(), reduced(), large(), resolved(), look()}
}

func nothing() told {
	return told{name: "nothing-found", language: "en", base: cases.Files{"cart/cart.go": cart},
		steps: []step{{files: cases.Files{"cart/cart.go": cart + "\n// Empty reports whether nothing is in a cart.\nfunc Empty(items []Item) bool { return len(items) == 0 }\n"}}}}
}

func one() told {
	text := cart + mean
	return told{name: "one-with-suggestion", language: "en", base: cases.Files{"cart/cart.go": cart}, steps: []step{{files: cases.Files{"cart/cart.go": text},
		found: []prompt.Found{at("cart/cart.go", text, "\treturn Total(items) / pieces", prompt.Found{Category: "bug", RuleKey: "division-by-zero", Severity: "high",
			Title: "Mean divides by zero for an empty cart", Trigger: "`Mean(nil)`, or a cart in which every `Count` is 0.",
			Explanation: "`pieces` stays 0 where no item has a count. An integer division by zero panics, so the page of an empty cart fails.",
			Evidence:    []prompt.Citation{{Path: "cart/cart.go", Start: 20, End: 20, Quote: "\tpieces := 0", Note: "Nothing else sets it where the loop does not run."}},
			Fix:         &prompt.Change{New: "\tif pieces == 0 {\n\t\treturn 0\n\t}\n\treturn Total(items) / pieces"}, SelfDoubt: 0.05})}}}}
}

func several() told {
	return told{name: "several-files", language: "de", base: cases.Files{"cart/cart.go": cart}, steps: []step{{
		files: cases.Files{"cart/cart.go": cart, "cart/page.go": page, "cart/sale.go": sale},
		found: []prompt.Found{
			at("cart/page.go", page, "\tfirst := page * 10\n\treturn items[first : first+10]", prompt.Found{Category: "bug", RuleKey: "off-by-one", Severity: "high",
				Title: "Page überspringt die ersten zehn Artikel und greift am Ende ins Leere", Trigger: "`Page(items, 1)` bei zehn Artikeln löst eine Panic aus.",
				Explanation: "Laut Kommentar beginnt die Zählung bei Seite 1, gerechnet wird aber ab 0: Seite 1 liefert die Artikel 11 bis 20. Außerdem ist `first+10` auf der letzten Seite größer als `len(items)`.",
				Fix:         &prompt.Change{New: "\tfirst := min((page-1)*10, len(items))\n\treturn items[first:min(first+10, len(items))]"}}),
			at("cart/sale.go", sale, "\tif res.StatusCode != http.StatusOK {\n\t\treturn nil\n\t}", prompt.Found{Category: "bug", RuleKey: "error-swallowed", Severity: "medium",
				Title: "Notify meldet Erfolg, obwohl der Shop ablehnt", Trigger: "Der Shop antwortet mit 500.",
				Explanation: "Bei jedem anderen Status als 200 kommt `nil` zurück, der Aufrufer hält den Verkauf also für gemeldet. Die Antwort bleibt dabei offen und hält eine Verbindung fest."}),
			at("cart/page.go", page, "\treturn fmt.Sprintf(\"%s (%d)\", it.Name, it.Cents)", prompt.Found{Category: "maintainability", RuleKey: "other", Severity: "low",
				Title: "Label zeigt Cent ohne Einheit", Explanation: "Wer die Beschriftung liest, hält 1999 für Euro."}),
		}}}}
}

func secrets() told {
	key := "AKIA" + "Q3EGRX7N5B2VKJ4M"
	text := "package config\n\n// Access opens the bucket of images.\nconst Access = \"" + key + "\"\n"
	return told{name: "secrets", language: "ja", base: cases.Files{"cart/cart.go": cart}, steps: []step{{files: cases.Files{"cart/cart.go": cart, "config/access.go": text}}}}
}

func rule() told {
	text := "package cart\n\nimport \"fmt\"\n\n// Checkout pays for a cart.\nfunc Checkout(card string, items []Item) error {\n\tfmt.Println(\"paying with card\", card, Total(items))\n\treturn pay(card, Total(items))\n}\n"
	return told{name: "rule", language: "de", base: cases.Files{"cart/cart.go": cart}, rules: []engine.Rule{{ID: "no-card-numbers", Title: "Keine Kartennummern in Ausgaben", Severity: domain.High, Mandatory: true,
		Instruction: "Kartennummern dürfen weder protokolliert noch ausgegeben werden, auch nicht gekürzt."}},
		steps: []step{{files: cases.Files{"cart/cart.go": cart, "cart/checkout.go": text}, found: []prompt.Found{
			at("cart/checkout.go", text, "\tfmt.Println(\"paying with card\", card, Total(items))", prompt.Found{Category: "rule", RuleKey: "repo/no-card-numbers", Severity: "high",
				Title: "Die vollständige Kartennummer landet in der Ausgabe", Trigger: "Jeder Aufruf von `Checkout`.",
				Explanation: "`card` wird unverändert nach stdout geschrieben und steht damit in jedem Protokoll, das die Ausgabe sammelt.", Fix: &prompt.Change{New: "\tfmt.Println(\"paying\", Total(items))"}})}}}}
}

func incomplete() told {
	files := cases.Files{"cart/cart.go": cart}
	var found []prompt.Found
	for i := range 6 {
		path := fmt.Sprintf("part%d/part.go", i)
		var b strings.Builder
		fmt.Fprintf(&b, "package part%d\n", i)
		for n := range 190 {
			fmt.Fprintf(&b, "\n// Step%d is step %d of the import, with a name that is long enough to fill a line.\nfunc Step%d(values []int) int {\n\tlimit := len(values) * %d\n\treturn limit + len(values)\n}\n", n, n, n, n+1)
		}
		files[path] = b.String()
		found = append(found, at(path, b.String(), "\tlimit := len(values) * 7", prompt.Found{Category: "bug", RuleKey: "wrong-operator", Severity: "high", Title: fmt.Sprintf("Step6 of part %d counts its limit twice", i),
			Trigger: "Any list that is not empty.", Explanation: "The limit already holds the length, which the next line adds once more."}))
	}
	return told{name: "model-incomplete", language: "en", base: cases.Files{"cart/cart.go": cart}, steps: []step{{files: files, found: found, broken: "part1/part.go"}}}
}

func reduced() told {
	text := cart + mean
	return told{name: "reduced-depth", language: "ja", depth: domain.DepthReduced, base: cases.Files{"cart/cart.go": cart}, steps: []step{{files: cases.Files{"cart/cart.go": text},
		found: []prompt.Found{at("cart/cart.go", text, "\treturn Total(items) / pieces", prompt.Found{Category: "bug", RuleKey: "division-by-zero", Severity: "high",
			Title: "空のカートで Mean がゼロ除算になる", Trigger: "`Mean(nil)` を呼び出したとき。",
			Explanation: "商品が一つもないと `pieces` は 0 のままです。整数のゼロ除算は panic になります。",
			Fix:         &prompt.Change{New: "\tif pieces == 0 {\n\t\treturn 0\n\t}\n\treturn Total(items) / pieces"}})}}}}
}

func large() told {
	files := cases.Files{"cart/cart.go": cart}
	var found []prompt.Found
	for i := range 64 {
		path := fmt.Sprintf("import/table%02d.go", i)
		var b strings.Builder
		b.WriteString("package imports\n")
		for n := range 10 {
			fmt.Fprintf(&b, "\n// Table%dColumn%d reads a column.\nfunc Table%dColumn%d(row []string) string {\n\treturn row[%d]\n}\n", i, n, i, n, n)
		}
		files[path] = b.String()
		if i == 3 {
			found = append(found, at(path, b.String(), "\treturn row[9]", prompt.Found{Category: "bug", RuleKey: "index-out-of-range", Severity: "high", Title: "A short row ends the import with a panic",
				Trigger: "A line of the file with fewer than ten columns.", Explanation: "The length of `row` is checked nowhere. One short line in a file of customers stops the whole import."}))
		}
	}
	return told{name: "large-change", language: "en", base: cases.Files{"cart/cart.go": cart}, steps: []step{{files: files, found: found}}}
}

func resolved() told {
	const divides, stays = "Mean teilt bei leerem Warenkorb durch null", "Notify meldet Erfolg, obwohl der Shop ablehnt"
	first := cases.Files{"cart/cart.go": cart + mean, "cart/sale.go": sale}
	mended := strings.Replace(cart+mean, "\treturn Total(items) / pieces", "\treturn Total(items) / max(pieces, 1)", 1)
	found := []prompt.Found{
		at("cart/cart.go", cart+mean, "\treturn Total(items) / pieces", prompt.Found{Category: "bug", RuleKey: "division-by-zero", Severity: "high", Title: divides, Trigger: "`Mean(nil)`.",
			Explanation: "`pieces` bleibt 0, und eine ganzzahlige Division durch null löst eine Panic aus."}),
		at("cart/sale.go", sale, "\tif res.StatusCode != http.StatusOK {\n\t\treturn nil\n\t}", prompt.Found{Category: "bug", RuleKey: "error-swallowed", Severity: "medium", Title: stays,
			Trigger: "Der Shop antwortet mit 500.", Explanation: "Bei jedem anderen Status als 200 kommt `nil` zurück."}),
	}
	return told{name: "resolved-and-carried-on", language: "de", base: cases.Files{"cart/cart.go": cart},
		steps: []step{{files: first, found: found}, {files: cases.Files{"cart/cart.go": mended, "cart/sale.go": sale}, fixed: []string{divides}}}}
}

func look() told {
	const title = "他のプロセスが先に書くと二重に課金される可能性がある"
	text := "package cart\n\n// Charge charges an order once.\nfunc Charge(store Store, order string) error {\n\tif store.Charged(order) {\n\t\treturn nil\n\t}\n\treturn store.Charge(order)\n}\n"
	return told{name: "worth-a-look", language: "ja", base: cases.Files{"cart/cart.go": cart}, steps: []step{{files: cases.Files{"cart/cart.go": cart, "cart/charge.go": text}, doubts: []string{title},
		found: []prompt.Found{at("cart/charge.go", text, "\tif store.Charged(order) {\n\t\treturn nil\n\t}\n\treturn store.Charge(order)", prompt.Found{Category: "concurrency", RuleKey: "check-then-act", Severity: "high", Title: title,
			Trigger: "同じ注文が同時に二つ処理されたとき。", Explanation: "確認と課金の間にロックがありません。`Store` が一意性を保証しているかどうかは、この変更からは分かりません。"})}}}}
}
