package anchor

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// What no parser reads here ends its statements, lists and blocks as before, or is left to people.
func TestStatements(t *testing.T) {
	t.Parallel()
	const ruby = "class A\n  def a(x)\n    list = [\n      1,\n      2\n    ]\n    b(x) if x\n  end\n\n  def c = d\n\n  def e\n    f do |g|\n      g.h\n    end\n  end\nend\n"
	const java = "class A {\n  @Override\n  void a() {\n    b(1,\n      2);\n    int[] c = {\n      1\n    };\n  }\n}\n"
	const sql = "CREATE TABLE a (\n  b int NOT NULL,\n  c int\n);\n\nSELECT CASE WHEN b THEN 1 END\nFROM a;\n"
	const tsx = "const a = (\n  <div>\n    <b\n      c\n    />\n  </div>\n);\n"
	const php = "<?php\nuse A;\n\nreturn [\n    ['a', 'b'],\n    ['c', 'd'],\n];\n"
	for _, tt := range []struct {
		name, path, content string
		start, end          int
		text                string
		offered             bool
	}{
		{"ruby, a modifier for a block", "a.rb", ruby, 7, 7, "    if x\n      b(x)\n    end", true},
		{"ruby, a block for a modifier", "a.rb", ruby, 7, 7, "    if x\n      b(x)", false},
		{"ruby, a block closed twice", "a.rb", ruby, 15, 15, "    end\n    end", false},
		{"ruby, braces for a block", "a.rb", ruby, 13, 15, "    f { |g| g.h }", true},
		{"ruby, a method with its body behind a sign", "a.rb", ruby, 10, 10, "  def c(d: 1) = d + e", true},
		{"ruby, a method without its end", "a.rb", ruby, 10, 10, "  def c(d: 1)", false},
		{"ruby, an element", "a.rb", ruby, 4, 4, "      1,\n      3,", true},
		{"ruby, an element without a comma", "a.rb", ruby, 4, 4, "      1\n      3,", false},
		{"ruby, symbols and attributes", "a.rb", ruby, 14, 14, "      g.end(:if, do: 1, class: g.class)", true},
		{"ruby, a string left open", "a.rb", ruby, 14, 14, "      g.h 'a", false},
		{"ruby, an expression in a string left open", "a.rb", ruby, 14, 14, "      g.h \"#{a\"", false},
		{"java, a call", "A.java", java, 4, 5, "    b(2,\n      3);", true},
		{"java, a call without its end", "A.java", java, 5, 5, "      2)", false},
		{"java, a block", "A.java", java, 4, 5, "    if (c) {\n      b(2);\n    }", true},
		{"java, a statement without its end in a block", "A.java", java, 4, 5, "    d();\n    if (c) {\n      b(2)\n    }", false},
		{"java, two statements as one", "A.java", java, 4, 5, "    d()\n    b(2);", false},
		{"java, an annotation", "A.java", java, 2, 2, "  @Override\n  @A(1)", true},
		{"java, the value of a variable", "A.java", java, 8, 8, "    }", false},
		{"java, an element", "A.java", java, 7, 7, "      1,\n      2", true},
		{"sql, a column", "a.sql", sql, 2, 2, "  b int NOT NULL,\n  d int,", true},
		{"sql, columns without a comma", "a.sql", sql, 2, 2, "  b int NOT NULL\n  d int,", false},
		{"sql, a last comma", "a.sql", sql, 3, 3, "  c int,", false},
		{"sql, a case", "a.sql", sql, 6, 6, "SELECT CASE WHEN b THEN 2 ELSE 3 END", true},
		{"sql, a case without its end", "a.sql", sql, 6, 6, "SELECT CASE WHEN b THEN 2", false},
		{"php, a list", "a.php", php, 5, 5, "    ['a', 'b'],\n    ['e'],", true},
		{"php, lists without a comma", "a.php", php, 5, 5, "    ['a', 'b']\n    ['e'],", false},
		{"php, the last import", "a.php", php, 2, 2, "", true},
		{"jsx, an element below another", "a.tsx", tsx, 5, 5, "    />\n    <d>\n      e\n    </d>", true},
		{"jsx, an element without its end", "a.tsx", tsx, 5, 5, "    />\n    <d>\n      e", false},
		{"scripts, a line end ends a statement", "a.js", "a();\nb();\n", 1, 1, "a()", true},
		{"scripts, a line end does not", "a.js", "a();\n(b)();\n", 1, 1, "a = c", false},
		{"python, tuples without a comma", "a.py", "a = [\n    (1, 2),\n    (3, 4),\n]\n", 2, 2, "    (1, 2)", false},
		{"make, a rule in a recipe", "Makefile", "a: b\n\tc\n\td\n", 2, 2, "e:\n\tc", false},
		{"make, a command with a colon", "Makefile", "a: b\n\tc\n\td\n", 2, 2, "\tdocker run a:b\n\t@echo c: d", true},
		{"helm, an action", "templates/a.yaml", "a: {{ .Values.b }}\n{{- if .Values.c }}\nd: 1\n{{- end }}\n", 1, 1, "a: {{ .Values.b | quote }}", true},
		{"helm, a variable of another block", "templates/a.yaml", "a: {{ .Values.b }}\n{{- if .Values.c }}\nd: 1\n{{- end }}\n", 1, 1, "a: {{ $b }}", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, lang := diff.Classify(tt.path, nil)
			s := domain.Suggestion{New: tt.text}
			a := domain.Anchor{Path: tt.path, Side: domain.Right, StartLine: tt.start, EndLine: tt.end, Level: domain.AnchorLine}
			why, err := Suggestion(t.Context(), &s, a, &diff.File{Path: tt.path, Language: lang}, files{"RIGHT:" + tt.path: tt.content})
			if err != nil || s.Applies != tt.offered || s.Applies && strings.TrimSpace(s.New) != strings.TrimSpace(tt.text) {
				t.Errorf("offered: %v, %q, %v\n%s", s.Applies, why, err, s.New)
			}
		})
	}
}
