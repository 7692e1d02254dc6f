package check

import (
	"fmt"
	"strings"
	"testing"
)

// goBody makes a file whose function has the given lines from line 6 on.
func goBody(imports, body string) string {
	return "package a\n\nimport (" + imports + ")\n\nfunc f() {\n" + body + "\n}\n"
}

func TestGoPatterns(t *testing.T) {
	t.Parallel()
	at := func(rule string, line int, severity string) string {
		return fmt.Sprintf("assay/go-%s@%d-%d/line/%s", rule, line, line, severity)
	}
	format := func(line int) string { return at("printf-arguments", line, "medium") }
	same := func(line int) string { return at("same-operands", line, "medium") }
	constant := func(line int) string { return at("constant-condition", line, "medium") }
	repeated := func(line int) string { return at("repeated-condition", line, "medium") }
	tag := func(line int) string { return at("struct-tag", line, "medium") }
	wait := "var wg sync.WaitGroup\ngo func() {\nwg.Add(1)\ndefer wg.Done()\nwork()\n}()"
	body := "resp, err := get()\ndefer resp.Body.Close()\nif err != nil {\nreturn\n}"
	for name, tt := range map[string]struct{ before, after, want string }{
		"too few arguments":        {"", goBody(`"fmt"`, `fmt.Printf("%s is %d", a)`), format(6)},
		"too many arguments":       {"", goBody(`"fmt"`, `_ = fmt.Errorf("no verb", err)`), format(6)},
		"a format in parts":        {"", goBody(`"log"`, `log.Fatalf("a %s"+" b %v", x)`), format(6)},
		"a width by an argument":   {"", goBody(`"fmt"`, `fmt.Printf("%*d|%.*f", 5, 3, 2, 1.0)`), ""},
		"percent signs":            {"", goBody(`"fmt"`, `fmt.Printf("100%% of %[1]d %[1]d", 3)`+"\n"+`fmt.Printf("5%%")`), ""},
		"arguments in a slice":     {"", goBody(`"fmt"`, `fmt.Printf("%d %d", list...)`), ""},
		"a format from elsewhere":  {"", goBody(`"fmt"`, `fmt.Printf(format, a)`+"\n"+`fmt.Printf("a"+b, c)`), ""},
		"another package":          {"", goBody(`fmt "example.com/fmt"`, `fmt.Printf("%s")`), ""},
		"a variable with the name": {"", goBody(`"fmt"`, "fmt := printer{}\nfmt.Printf(\"%s\")"), ""},
		"an unused result":         {"", goBody(`"strings"`, `strings.TrimSpace(s)`), at("unused-result", 6, "medium")},
		"a used result":            {"", goBody(`"strings"`, `s = strings.TrimSpace(s)`), ""},
		"a function with effects":  {"", goBody(`"fmt"`, `fmt.Println(s)`), ""},
		"equal operands":           {"", goBody("", "if a.b && a.b {\n}"), same(6)},
		"equal in a longer chain":  {"", goBody("", "if a || b || (a) {\n}"), same(6)},
		"effects between":          {"", goBody("", "if a.done || wait(a) || a.done {\n}"), ""},
		"calls":                    {"", goBody("", "if next() && next() {\n}\nif <-c && <-c {\n}"), ""},
		"not a number":             {"", goBody("", "if x != x || y == y {\n}"), ""},
		"less than itself":         {"", goBody("", "_ = n < n\n_ = 1 & 1\n_ = n &^ n"), same(6) + " " + same(8)},
		"a self assignment":        {"", goBody("", "s.name = s.name"), same(6)},
		"a swap":                   {"", goBody("", "a, b = b, a\nm[k] = m[k]\nx := x\n_ = x"), ""},
		"never both":               {"", goBody("", `if s == "a" && s == "b" {`+"\n}"), constant(6)},
		"always one":               {"", goBody("", `if s != 1 || s != 0x2 {`+"\n}"), constant(6)},
		"equal numbers":            {"", goBody("", `if s != 1 || s != 0x1 {`+"\n}\n"+`if s != 1 && s != 2 {`+"\n}"), ""},
		"other values":             {"", goBody("", `if s != 1 || t != 2 || s != u {`+"\n}\n"+`if s != 1.0 || s != 1.00001 {`+"\n}"), ""},
		"a negative length":        {"", goBody("", "if len(a) < 0 || 0 <= cap(b) {\n}\n_ = len(a) == -1"), constant(6) + " " + constant(6) + " " + constant(8)},
		"a length":                 {"", goBody("", "if len(a) > 0 || len(b) <= 0 || 0 < len(c) {\n}"), ""},
		"another len":              {"", goBody("", "len := func(x int) int { return x }\n_ = len(a) < 0"), ""},
		"a repeated condition":     {"", goBody("", "if a == 1 {\n} else if b {\n} else if a == 1 {\n}"), repeated(8)},
		"with a statement":         {"", goBody("", "if a == 1 {\n} else if a, b = g(); a == 1 {\n}"), ""},
		"effects of a condition":   {"", goBody("", "if a == 1 {\n} else if g() {\n} else if a == 1 {\n}"), ""},
		"a repeated case":          {"", goBody("", "switch {\ncase a > 1:\ncase b, a > 1:\n}"), repeated(8)},
		"behind a fallthrough":     {"", goBody("", "switch {\ncase a > 1:\nfallthrough\ncase a > 1:\n}"), ""},
		"a deferred lock":          {"", goBody("", "s.mu.Lock()\ndefer s.mu.Lock()"), at("deferred-lock", 7, "high")},
		"a deferred unlock":        {"", goBody("", "s.mu.Lock()\ndefer s.mu.Unlock()\ns.mu.Unlock()\ndefer s.mu.Lock()"), ""},
		"a deferred recover":       {"", goBody("", "defer recover()"), at("deferred-recover", 6, "high")},
		"a recover in a function":  {"", goBody("", "defer func() { recover() }()"), ""},
		"a recover of the package": {"", goBody("", "defer recover()") + "func recover() {}\n", ""},
		"a late add":               {"", goBody(`"sync"`, wait), at("late-add", 8, "medium")},
		"another type with Add":    {"", goBody(`"sync"`, strings.Replace(wait, "sync.WaitGroup", "progress", 1)), ""},
		"an add before":            {"", goBody(`"sync"`, strings.Replace(wait, "go func() {\nwg.Add(1)", "wg.Add(1)\ngo func() {", 1)), ""},
		"an add for another":       {"", goBody(`"sync"`, strings.Replace(wait, "work()", "go func() { wg.Done() }()", 1)), ""},
		"an unchecked body":        {"", goBody("", body), at("unchecked-body", 7, "high")},
		"a checked body":           {"", goBody("", "resp, err := get()\nif err != nil {\nreturn\n}\ndefer resp.Body.Close()"), ""},
		"a tag with a space":       {"", "package a\n\ntype A struct {\n\tB int `json: \"b\"`\n}\n", tag(4)},
		"a tag without quotes":     {"", "package a\n\ntype A struct {\n\tB int `json:b`\n}\n", tag(4)},
		"a tag with a comma":       {"", "package a\n\ntype A struct {\n\tB int `json:\"b\",yaml:\"b\"`\n}\n", tag(4)},
		"a repeated name":          {"", "package a\n\ntype A struct {\n\tB int `json:\"b\"`\n\tC int `json:\"b,omitempty\"`\n}\n", tag(5)},
		"good tags": {"", "package a\n\ntype A struct {\n\tB int `json:\"b\" help:\"see json: x\" required`\n\tc int `json:\"b\"`\n\tD int `json:\"-\"`\n" +
			"\tE int `json:\"-\"`\n\tF int `other:x`\n}\n", ""},
		"an operand on a new line":      {goBody("", "_ = a ||\nb"), goBody("", "_ = a ||\nb ||\na"), same(8)},
		"another operand of an old one": {goBody("", "_ = a ||\na"), goBody("", "_ = a ||\na ||\nc"), ""},
		"an argument on a new line":     {goBody(`"fmt"`, "fmt.Printf(\"%d\",\na)"), goBody(`"fmt"`, "fmt.Printf(\"%d\",\na,\nb)"), format(7)},
		"on an old line":                {goBody("", "defer recover()"), goBody("", "defer recover()\ng()"), ""},
		"a moved one":                   {goBody("", "defer recover()\ng()"), goBody("", "g()\ndefer recover()"), ""},
		"another one":                   {goBody("", "defer recover()"), goBody("", "defer recover()\ndefer recover()"), at("deferred-recover", 7, "high")},
		"with a comment":                {"", goBody("", "//nolint:all // #nosec\ndefer recover() //nolint"), at("deferred-recover", 7, "high")},
		"a broken file":                 {"", goBody("", "defer recover()\nfunc {"), "assay/go-syntax@7-7/line/high"},
		"broken before":                 {"package", goBody("", "defer recover()"), at("deferred-recover", 6, "high")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := summary(run(t, "a.go", tt.before, tt.after)); got != tt.want {
				t.Errorf("got  %s\nwant %s\n%s", got, tt.want, tt.after)
			}
		})
	}
}

func TestFilesOfGoPatterns(t *testing.T) {
	t.Parallel()
	text := goBody(`"fmt"`, "fmt.Sprint(a)")
	for name, want := range map[string]bool{"a.go": true, "a_test.go": false, "testdata/a.go": false, "vendor/x/a.go": false, "_a.go": false,
		"a.pb.go": false} {
		if got := summary(run(t, name, "", text)) != ""; got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// A message never has the text of a string, which can be a secret.
func TestStringsStayOutOfMessages(t *testing.T) {
	t.Parallel()
	for _, f := range run(t, "a.go", "", goBody(`"fmt"`, "fmt.Errorf(\"hidden%s\" /* hidden */)\nif s == `hidden` && s == \"other hidden\" {\n}")).Findings {
		if strings.Contains(f.Title+f.Explanation, "hidden") {
			t.Errorf("%s: %s", f.Title, f.Explanation)
		}
	}
}

// The file is named if it has more faults than are read, and long chains take no long time.
func TestBoundsOfGoPatterns(t *testing.T) {
	t.Parallel()
	many := run(t, "a.go", "", goBody("", strings.Repeat("defer recover()\n", maxGoFaults+1)))
	if len(many.Findings) != maxPlaceFindings || many.Unread["a.go"] != WhyCut {
		t.Errorf("%d, %v", len(many.Findings), many.Unread)
	}
	long := goBody("", "_ = "+strings.Repeat("a.b.c.d.e && ", 500)+"z")
	if got := summary(run(t, "a.go", "", long)); got != "assay/go-same-operands@6-6/line/medium" {
		t.Error(got)
	}
}
