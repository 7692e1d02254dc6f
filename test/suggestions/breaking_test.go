package suggestions

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/review/anchor"
	"github.com/assay-dev/assay/internal/testkit"
)

// seeds is the folder of well-formed files, one for each language.
const seeds = "testdata/seeds"

// fault makes an edit of one line, or of it and the next one, that breaks any file in its languages.
type fault struct {
	name, of string // the endings of files
	two      bool
	// spoil returns the new text, "" if the fault does not apply. next is the code below the replaced lines.
	spoil func(lines []string, next string) string
}

// lost returns a line without the last of some signs, "" if the line does not have them.
func lost(line, signs string) string {
	if i := strings.LastIndexAny(line, signs); i >= 0 {
		return line[:i] + line[i+1:]
	}
	return ""
}

// without returns a line without its ending, "" if it has another ending.
func without(line, end string) string {
	if rest, has := strings.CutSuffix(line, end); has && strings.TrimSpace(rest) != "" {
		return rest
	}
	return ""
}

// begins reports whether code begins with one of the signs.
func begins(code, signs string) bool {
	t := strings.TrimSpace(code)
	return t == "" || strings.Contains(signs, t[:1])
}

var (
	comparison = regexp.MustCompile(`^(\s*(?:if|elif|while) .*) (?:==|>) (.*:)$`)
	constant   = regexp.MustCompile(`^(\s*const )(\w+)( = .*;)$`)
	closingTag = regexp.MustCompile(`</\w+>`)
	comment    = regexp.MustCompile(`^\s*(?://|#|--|\*)`)
)

const (
	scripts      = ".ts .tsx .jsx .js"
	withBrackets = ".ts .tsx .jsx .js .css .scss .py .rb .java .kt .cs .php .sql .tf .lua .ex"
)

var faults = []fault{
	{"a bracket lost", withBrackets, false, func(l []string, _ string) string { return lost(l[0], "]}") }},
	{"an opening bracket lost", withBrackets, false, func(l []string, _ string) string { return lost(l[0], "[{") }},
	{"a parenthesis lost", withBrackets, false, func(l []string, _ string) string {
		if strings.HasSuffix(l[0], "})") { // a text between tags
			return ""
		}
		return lost(l[0], []string{"(", ")"}[len(l[0])%2])
	}},
	{"a quotation mark lost", scripts + " .css .scss .py .rb .java .kt .cs .php .tf .lua .ex", false, func(l []string, _ string) string {
		if strings.Count(l[0], `"`) > 2 || strings.Contains(l[0], "`") {
			return ""
		}
		return lost(l[0], `"'`)
	}},
	{"a semicolon lost", ".java .cs .php", false, func(l []string, _ string) string { return without(l[0], ";") }},
	{"a semicolon lost", ".css .scss", false, func(l []string, next string) string {
		if begins(next, "}") { // the last one of a block does not need it
			return ""
		}
		return without(l[0], ";")
	}},
	{"a semicolon lost before a bracket", scripts, false, func(l []string, next string) string {
		if !begins(next, "([`") || strings.TrimSpace(next) == "" {
			return ""
		}
		return without(l[0], ";")
	}},
	{"a semicolon lost inside", ".java .cs .php .scss", false, func(l []string, _ string) string {
		if rest := without(l[0], ";"); rest != "" {
			return rest + "\n" + l[0]
		}
		return ""
	}},
	{"a comma lost", scripts + " .py .rb .java .kt .cs .php .sql .tf .lua .ex", false, func(l []string, next string) string {
		if begins(next, ")]}") {
			return ""
		}
		return without(l[0], ",")
	}},
	{"a comma added", ".java .cs .php", false, func(l []string, _ string) string {
		if rest := without(l[0], ";"); rest != "" {
			return rest + ","
		}
		return ""
	}},
	{"an end lost", ".rb .lua .ex", true, func(l []string, _ string) string {
		if strings.TrimSpace(l[1]) == "end" {
			return l[0] + "  "
		}
		return ""
	}},
	{"an end added", ".rb .lua .ex", false, func(l []string, _ string) string {
		return l[0] + "\n" + l[0][:len(l[0])-len(strings.TrimLeft(l[0], " "))] + "end"
	}},
	{"a block opened", ".rb", false, func(l []string, _ string) string {
		return l[0][:len(l[0])-len(strings.TrimLeft(l[0], " "))] + "if ready\n" + l[0]
	}},
	{"a constant twice", scripts, false, func(l []string, _ string) string {
		if m := constant.FindStringSubmatch(l[0]); m != nil {
			return l[0] + "\n" + m[1] + m[2] + " = 1;"
		}
		return ""
	}},
	{"a type in JavaScript", ".js .jsx", false, func(l []string, _ string) string {
		if m := constant.FindStringSubmatch(l[0]); m != nil {
			return m[1] + m[2] + ": any" + m[3]
		}
		return ""
	}},
	{"a tag left open", ".tsx .jsx", false, func(l []string, _ string) string {
		if at := closingTag.FindStringIndex(l[0]); at != nil && strings.TrimSpace(l[0][:at[0]]) != "" {
			return l[0][:at[0]] + l[0][at[1]:]
		}
		return ""
	}},
	{"an assignment for a comparison", ".py", false, func(l []string, _ string) string {
		return comparison.ReplaceAllString(l[0], "$1 = $2") + strings.Repeat(" ", 1)
	}},
	{"a colon lost", ".py", false, func(l []string, _ string) string { return without(l[0], ":") }},
	{"a return outside", ".py", false, func(l []string, _ string) string {
		if strings.HasPrefix(l[0], " ") || strings.HasPrefix(l[0], "@") || strings.HasSuffix(l[0], ":") || strings.HasPrefix(l[0], "from") {
			return ""
		}
		return l[0] + "\nreturn " + "None"
	}},
	{"a second else", ".py", true, func(l []string, _ string) string {
		if strings.TrimSpace(l[0]) != "else:" {
			return ""
		}
		return strings.Join(l, "\n") + "\n" + l[0] + "\n" + strings.Replace(l[1], "total", "other", 1)
	}},
	{"an action left open", ".yaml", false, func(l []string, _ string) string { return lost(l[0], "}") }},
	{"an end of an action lost", ".yaml", true, func(l []string, _ string) string {
		if strings.Contains(l[1], "{{- end }}") && !strings.Contains(l[0], "{{- end }}") {
			return l[0] + " # " + "and more"
		}
		return ""
	}},
	{"a rule in a recipe", "Makefile", false, func(l []string, _ string) string {
		if !strings.HasPrefix(l[0], "\t") {
			return ""
		}
		return "other:\n" + l[0]
	}},
}

// made is an edit of a seed that was made by a fault or a kind of harmless change.
type made struct {
	grammar
	edit
	name string
}

// seedFiles reads the files as grammars without a parser.
func seedFiles(t *testing.T) (out []grammar) {
	t.Helper()
	testkit.OK(t, filepath.WalkDir(seeds, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(seeds, path)
		out = append(out, grammar{path: name, file: string(text)})
		return err
	}))
	return out
}

// of reports whether a file is in a list of endings or names.
func of(path, list string) bool {
	for _, e := range strings.Fields(list) {
		if filepath.Ext(path) == e || filepath.Base(path) == e {
			return true
		}
	}
	return false
}

// edited makes an edit of every line, and of every two lines, by a function.
func (g grammar) edited(two bool, name string, change func(lines []string, next string) string) (out []made) {
	lines := strings.Split(strings.TrimSuffix(g.file, "\n"), "\n")
	n := 1
	if two {
		n = 2
	}
	for i := 0; i+n <= len(lines); i++ {
		old := lines[i : i+n]
		if strings.TrimSpace(old[0]) == "" || comment.MatchString(old[0]) {
			continue
		}
		next := ""
		for _, l := range lines[i+n:] {
			if next = l; strings.TrimSpace(l) != "" && !comment.MatchString(l) {
				break
			}
		}
		if text := change(old, next); strings.TrimSpace(text) != "" && strings.TrimRight(text, " ") != strings.Join(old, "\n") {
			out = append(out, made{g, edit{i + 1, i + n, strings.Join(old, "\n"), text}, name})
		}
	}
	return out
}

// An edit that breaks the file in its language is never offered, in any form.
func TestBreakingSuggestions(t *testing.T) {
	t.Parallel()
	all := os.Getenv("ASSAY_SUGGESTIONS") == "all"
	for _, g := range seedFiles(t) {
		t.Run(g.path, func(t *testing.T) {
			t.Parallel()
			tried := 0
			for _, f := range faults {
				if !of(g.path, f.of) {
					continue
				}
				for _, m := range g.edited(f.two, f.name, f.spoil) {
					texts := []string{m.text}
					if all { // and indented in the ways of models, which is repaired
						in := m.text[:len(m.text)-len(strings.TrimLeft(m.text, " \t"))]
						texts = append(texts, strings.TrimLeft(m.text, " \t"), each(m.text, func(_ int, l string) string { return strings.TrimPrefix(l, in) }),
							each(m.text, func(_ int, l string) string { return "    " + l }), "```\n"+m.text+"\n```")
					}
					for _, text := range texts {
						tried++
						s := g.propose(t, m.edit, m.old, text)
						if s.Applies && strings.TrimSpace(s.New) != strings.TrimSpace(m.old) { // otherwise the added text is removed
							t.Errorf("%s: line %d\n-%s\n+%s", f.name, m.start, m.old, s.New)
						}
					}
				}
			}
			t.Logf("%d breaking edits", tried)
		})
	}
}

// harmless are edits that leave every file well formed.
var harmless = []struct {
	name, of string
	change   func(line, next string) string
}{
	{"another number", withBrackets + " .yaml Makefile", func(l, _ string) string {
		return regexp.MustCompile(`\b(20|30|12|600|3|10)\b`).ReplaceAllString(l, "${1}5")
	}},
	{"another text", withBrackets, func(l, _ string) string {
		return regexp.MustCompile(`(["'])([a-z ]+)(["'])`).ReplaceAllString(l, "${1}${2} too${3}")
	}},
	{"another name", withBrackets + " .yaml Makefile", func(l, _ string) string {
		if strings.Contains(l, "fun ") || strings.Contains(l, "function ") {
			return "" // a name that is looked for
		}
		return regexp.MustCompile(`\b(total|items?|count|price|label|size|owner|rows?|style|color|margin|padding|name)\b`).ReplaceAllString(l, "${1}s")
	}},
	{"a call added", scripts + " .java .cs .php", func(l, _ string) string {
		if strings.HasSuffix(l, ";") && strings.HasPrefix(l, "    ") && regexp.MustCompile(`^\s+(?:const|this\.|items\.|total|waiting|\$this->\w+->|await|Total)[^{]*[^})\]];$`).MatchString(l) {
			return l + "\n" + l[:len(l)-len(strings.TrimLeft(l, " "))] + "notify(1);"
		}
		return ""
	}},
	{"a condition around", ".java .cs .ts .js .kt .php", func(l, _ string) string {
		m := regexp.MustCompile(`^(\s+)((?:total|items\.add|this\.items\.push|waiting\.set|Total|\$this->total) ?[^{]*)$`).FindStringSubmatch(l)
		if m == nil {
			return ""
		}
		return m[1] + "if (ready) {\n" + m[1] + "    " + m[2] + "\n" + m[1] + "}"
	}},
	{"a condition around", ".py", func(l, _ string) string {
		m := regexp.MustCompile(`^(\s+)(total .*|value = .*|data = .*|print.*)$`).FindStringSubmatch(l)
		if m == nil {
			return ""
		}
		return m[1] + "if key:\n" + m[1] + "    " + m[2]
	}},
	{"a condition around", ".rb .lua", func(l, _ string) string {
		m := regexp.MustCompile(`^(\s+)(@total \+= .*|@items << item|print.*|raise .*|table\.insert.*)$`).FindStringSubmatch(l)
		if m == nil {
			return ""
		}
		if strings.Contains(l, "@") || strings.Contains(l, "raise") {
			return m[1] + "if ready\n" + m[1] + "  " + m[2] + "\n" + m[1] + "end"
		}
		return m[1] + "if ready then\n" + m[1] + "  " + m[2] + "\n" + m[1] + "end"
	}},
	{"a statement added", ".rb .kt .lua .py .ex", func(l, _ string) string {
		if m := regexp.MustCompile(`^(\s+)(?:@total|@owner|items\.add|print|raise|table)\b.*[^,({\[]$`).FindStringSubmatch(l); m != nil {
			return m[1] + "notify(1)\n" + l
		}
		return ""
	}},
	{"a remark", scripts + " .java .kt .cs .php .scss", func(l, _ string) string {
		if strings.Contains(l, "<") {
			return ""
		}
		return l + " // looked at"
	}},
	{"a remark", ".py .rb .tf .ex", func(l, _ string) string { return l + "  # looked at" }},
	{"a property added", ".css .scss", func(l, _ string) string {
		if strings.HasPrefix(l, " ") && strings.HasSuffix(l, ";") && strings.Contains(l, ":") {
			return l + "\n" + l[:len(l)-len(strings.TrimLeft(l, " "))] + "opacity: 0.5;"
		}
		return ""
	}},
	{"a column added", ".sql", func(l, _ string) string { return strings.Replace(l, "    price,", "    price,\n    id,", 1) }},
	{"a value added", ".tf", func(l, _ string) string {
		return strings.Replace(l, "    aws_security_group.web.id,", "    aws_security_group.web.id,\n    aws_security_group.db.id,", 1)
	}},
	{"a variable", ".yaml", func(l, _ string) string { return strings.ReplaceAll(l, ".Values.", ".Values.web.") }},
	{"another command", "Makefile", func(l, _ string) string {
		if strings.HasPrefix(l, "\t") {
			return l + "\n\t@echo done"
		}
		return ""
	}},
}

// At most one of a hundred harmless edits is not offered.
func TestHarmlessSuggestions(t *testing.T) {
	t.Parallel()
	tried, refused := 0, 0
	for _, g := range seedFiles(t) {
		for _, h := range harmless {
			if !of(g.path, h.of) {
				continue
			}
			for _, m := range g.edited(false, h.name, func(l []string, next string) string { return h.change(l[0], next) }) {
				if strings.Count(m.text, "\n") >= anchor.MaxSuggestion || !strings.HasPrefix(m.text, m.old) && strings.TrimSpace(m.text) == strings.TrimSpace(m.old) {
					continue
				}
				if tried++; !g.propose(t, m.edit, m.old, m.text).Applies {
					refused++
					t.Logf("%s, %s: line %d\n-%s\n+%s", g.path, h.name, m.start, m.old, m.text)
				}
			}
		}
	}
	t.Logf("%d of %d harmless edits are not offered", refused, tried)
	if refused*100 > tried {
		t.Errorf("%d of %d harmless edits are not offered", refused, tried)
	}
}
