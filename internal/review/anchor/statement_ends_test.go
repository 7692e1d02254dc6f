package anchor

import (
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// Suggestions in languages without a parser here end statements, lists and blocks as before, or are left to people.
func TestStatements(t *testing.T) {
	t.Parallel()
	const ruby = "class A\n  def a(x)\n    list = [\n      1,\n      2\n    ]\n    b(x) if x\n  end\n\n  def c = d\n\n  def e\n    f do |g|\n      g.h\n    end\n  end\nend\n"
	const java = "class A {\n  @Override\n  void a() {\n    b(1,\n      2);\n    int[] c = {\n      1\n    };\n  }\n}\n"
	const sql = "CREATE TABLE a (\n  b int NOT NULL,\n  c int\n);\n\nSELECT CASE WHEN b THEN 1 END\nFROM a;\n"
	const tsx = "const a = (\n  <div>\n    <b\n      c\n    />\n  </div>\n);\n"
	const php = "<?php\nuse A;\n\nreturn [\n    ['a', 'b'],\n    ['c', 'd'],\n];\n"
	const function = "CREATE FUNCTION a() RETURNS trigger AS $$\nBEGIN\n  PERFORM 1;\n  IF NEW.a IS NULL THEN\n    RAISE NOTICE 'a';\n  END IF;\n  NEW.b := 1;\n  RETURN NEW;\nEND;\n$$ LANGUAGE plpgsql;\n"
	const texts = "class A\n  B = <<~SQL.strip\n    end = 1\n  SQL\n  c\n  e <<CONST\nend\n"
	const phpText = "<?php function a() {\n  $h = <<<EOT\n  It's a $x\n  EOT;\n  echo $c;\n}\n\n$d = 'e';\n"
	const vue = "<template>\n  <div>\n    <p v-if=\"x\">{{ y }}</p>\n  </div>\n</template>\n<script setup lang=\"ts\">\nconst y = ref<string>(1)\n</script>\n"
	const rust = "fn a() -> i32 {\n    if b {\n        return c;\n    }\n    match d {\n        1 => e(),\n        _ => f(),\n    }\n}\n"
	const loop = "class A {\n  void b() {\n    for (int i = 0; i < 3; i++) {\n      c(i);\n    }\n  }\n}\n"
	const effect = "const a = () => {\n  useEffect(() => {\n    b();\n  }, []);\n  return <d e />;\n};\n"
	const comments = "{\n  // a\n  \"b\": 1\n}\n"
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
		{"sql, a block of a function without its end", "a.sql", function, 4, 6, "  IF NEW.a IS NULL THEN\n    RAISE NOTICE 'b';", false},
		{"sql, a block of a function", "a.sql", function, 4, 6, "  IF NEW.a IS NULL OR NEW.b THEN\n    RAISE NOTICE 'b';\n  END IF;", true},
		{"sql, a loop of a function", "a.sql", function, 7, 7, "  FOR r IN SELECT 1 LOOP\n    NEW.b := r;\n  END LOOP;", true},
		{"sql, a loop without its end", "a.sql", function, 7, 7, "  FOR r IN SELECT 1 LOOP\n    NEW.b := r;", false},
		{"sql, if it exists", "a.sql", sql, 1, 1, "CREATE TABLE IF NOT EXISTS a (", true},
		{"ruby, words of blocks in a text", "a.rb", texts, 3, 3, "    if b = 1 begin", true},
		{"ruby, a block behind a text", "a.rb", texts, 5, 5, "  if c\n    d", false},
		{"ruby, a constant behind two signs", "a.rb", texts, 6, 6, "  e <<CONST do", false},
		{"php, a statement behind a text with an apostrophe", "b.php", phpText, 5, 5, "  echo b($c)", false},
		{"php, another one", "b.php", phpText, 5, 5, "  echo b($c);", true},
		{"php, a text", "b.php", phpText, 3, 3, "  It is a $x", true},
		{"xml, an element without its end", "pom.xml", "<a>\n  <b>1</b>\n</a>\n", 2, 2, "  <b>2", false},
		{"xml, another element", "pom.xml", "<a>\n  <b>1</b>\n</a>\n", 2, 2, "  <b>2</b>\n  <c d=\"e\"/>", true},
		{"vue, an element without its end", "a.vue", vue, 3, 3, "    <p v-if=\"a > b\">{{ c }}", false},
		{"vue, an element", "a.vue", vue, 3, 3, "    <p v-if=\"a > b\">{{ c < d }}</p>\n    <br>\n    <e-f />", true},
		{"vue, a type", "a.vue", vue, 7, 7, "const y = ref<Map<string, number>>(1)", true},
		{"html, a quotation mark left open", "a.html", "<div>\n  <img src=\"a\">\n</div>\n", 2, 2, "  <img src=\"b>", false},
		{"html, another element", "a.html", "<div>\n  <b>a</b>\n</div>\n", 2, 2, "  a<i>a</i>\n  <li>b", true},
		{"html, the end of another element", "a.html", "<div>\n  <b>a</b>\n</div>\n", 2, 2, "  <i>a</b>", false},
		{"rust, a variable for the value of a block", "a.rs", rust, 3, 3, "        let c = d", false},
		{"rust, another value of a block", "a.rs", rust, 3, 3, "        return c.d()", true},
		{"rust, an arm with a block", "a.rs", rust, 6, 6, "        1 => {\n            e()\n        }", true},
		{"java, a chain for a loop", "A.java", loop, 3, 5, "    c.stream()\n        .forEach(d);", true},
		{"java, the header of a loop", "A.java", loop, 3, 3, "    d();", false},
		{"jsx, brackets of one line that end in two", "a.tsx", effect, 2, 4, "  useEffect(() => {\n    c();\n  }, [c]);", true},
		{"jsx, an element in several lines", "a.tsx", effect, 5, 5, "  return (\n    <d\n      e\n      f={g}\n    />\n  );", true},
		{"json with comments, an element", "a.jsonc", comments, 3, 3, "  \"b\": 2,\n  \"c\": 3", true},
		{"json with comments, elements without a comma", "a.jsonc", comments, 3, 3, "  \"b\": 2\n  \"c\": 3", false},
		{"json with comments, another comma at the end", "tsconfig.json", comments, 3, 3, "  \"b\": 2, // d", true},
		{"docker, a shift and a tab", "Dockerfile", "FROM a\nRUN b\n", 2, 2, "RUN\techo $((1<<2))", true},
		{"go, lists in a file with a template in a string", "a.go", "package a\n\nvar b = \"{{.C}}\"\n\nvar d = 1\n", 5, 5, "var d = [][]int{{1, 2}}", true},
		{"workflows, an expression in a file with a template", "a.yml", "a: b -f '{{.C}}'\nd: ${{ e.f }}\n", 2, 2, "d: ${{ e.f == 'g' }}", true},
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
