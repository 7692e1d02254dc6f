package diff

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// translations are the names of folders with texts of a user interface.
var translations = []string{"locales", "locale", "i18n", "l10n", "lang", "langs", "languages", "translations", "translation",
	"messages", "_locales", "intl"}

// configJSON matches names of JSON files that control what programs run or load. DataLine treats
// names with a leading dot in the same way.
var configJSON = regexp.MustCompile(`^(package|composer|tasks|launch|settings|project|angular|turbo|nx|lerna|rush|deno|bunfig|` +
	`devcontainer|app|manifest|babel|vercel|netlify|firebase|` +
	`now|nodemon|tsconfig.*|jsconfig.*|serverless.*|template|function|host|appsettings.*|docker.*|renovate.*|mcp|hooks?|config|` +
	`.*[._-](config|conf|settings|task|tasks|definition|tf|rc))\.json[c5]?$|rc\.json$`)

var (
	// embeddedData matches a data URL with an image, a font or audio.
	embeddedData = regexp.MustCompile(`(?i)data:(image/(png|jpe?g|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)|` +
		`fonts?/[\w.+-]+|(audio|video)/[\w.+-]+|` +
		`application/(x-)?(font-[\w-]+|octet-stream|vnd\.ms-fontobject|pdf))(;[\w=.-]+)*;base64,[A-Za-z0-9+/=]+`)
	// styleData matches the vector images in a style sheet, where their scripts do not run.
	styleData = regexp.MustCompile(`(?i)url\(\s*("data:image/svg\+xml[^"]*"|'data:image/svg\+xml[^']*'|` +
		`data:image/svg\+xml;base64,[A-Za-z0-9+/=]+)\s*\)`)
	// afterData matches text that may follow such a URL.
	afterData = regexp.MustCompile("^(format\\(\\s*[\"']?[\\w-]+[\"']?\\s*\\)|no-repeat|center|url\\(|[\\s\"'`)\\]};,/>])*$")

	sqlValue = `([-+]?[\d.]+(e[-+]?\d+)?|(n|x|b|e|_binary )?'([^'\\]|''|\\.)*'|null|true|false|default|` +
		`current_timestamp(\(\))?|0x[0-9a-f]+)(::\w+)?`
	sqlRows = regexp.MustCompile(`(?i)^\s*((insert( ignore)?|replace) into [\w."` + "`" + `\[\]]+\s*(\([\w\s,."` + "`" +
		`\[\]]*\)\s*)?values\s*)?(\(\s*` + sqlValue + `(\s*,\s*` + sqlValue + `)*\s*\)\s*[,;]?\s*)+$`)

	yamlText     = regexp.MustCompile(`^\s*[\w."'-]+:\s+("([^"\\]|\\.)*"|'([^']|'')*'|[\p{L}\d(][^{}\[\]]*)\s*$`)
	propertyText = regexp.MustCompile(`^\s*[\w.-]+\s*[=:]\s*[^{}]*$|^\s*"([^"\\]|\\.)*"\s*=\s*"([^"\\]|\\.)*";\s*$`)
	elementText  = regexp.MustCompile(`^\s*<(value|source|target|string|note)\b[^<>]*>[^<>]*</(value|source|target|string|note)>\s*$`)
	// runsWithin matches signs of code, which plain values do not have.
	runsWithin = regexp.MustCompile("`|\\$\\(|\\$\\{|&&|[;|]\\s*(sudo|curl|wget|sh|bash|zsh|node|python\\d*|perl|ruby|php|rm|" +
		"nc|eval|exec|powershell|npm|npx)\\b|\\b(eval|exec|system|require|import|__import__|popen|spawn|Function|constructor)\\s*\\(|" +
		"=>|\\bfunction\\b[^(]*\\(|\\{\\{|<%|\\{%")
)

// DataLine reports whether the rest of a line, after its first seen bytes, is data of a known kind: a JSON
// value that no program runs, a text of a user interface, literal rows in SQL, or a data URL with an image,
// a font or audio.
func DataLine(name, line string, seen int) bool {
	n := named(name)
	if Instructions(name) || n.in(".github", ".gitea", ".forgejo", ".vscode", ".devcontainer", ".husky") {
		return false
	}
	if class, _ := Classify(name, nil); class == ClassMigration || class == ClassCI {
		return false
	}
	if embedsData(n, line, seen) {
		return true
	}
	if n.ext == ".sql" {
		return sqlRows.MatchString(line)
	}
	if runnable.MatchString(line) || runsWithin.MatchString(line) {
		return false
	}
	switch n.ext {
	case ".json", ".jsonc", ".json5", ".arb", ".webmanifest", ".geojson", ".topojson":
		return !configJSON.MatchString(n.base) && !strings.HasPrefix(n.base, ".") && jsonLine(line)
	case ".yaml", ".yml":
		return n.in(translations...) && yamlText.MatchString(line)
	case ".properties", ".strings", ".ftl":
		return (n.in(translations...) || n.ext != ".properties" || strings.HasPrefix(n.base, "messages")) && propertyText.MatchString(line)
	case ".xlf", ".xliff", ".resx":
		return elementText.MatchString(line)
	case ".xml":
		return n.base == "strings.xml" && strings.HasPrefix(path.Base(path.Dir(n.lower)), "values") && elementText.MatchString(line)
	}
	return false
}

// embedsData reports whether a line has data URLs, and only these after its first seen bytes.
func embedsData(n fileName, line string, seen int) bool {
	blank := func(s string) string { return strings.Repeat(" ", len(s)) }
	plain := embeddedData.ReplaceAllStringFunc(line, blank)
	switch n.ext {
	case ".css", ".scss", ".sass", ".less":
		plain = styleData.ReplaceAllStringFunc(plain, blank)
	}
	return plain != line && seen < len(line) && afterData.MatchString(plain[seen:])
}

// jsonLine reports whether a line is JSON, or a member or an element of JSON.
func jsonLine(line string) bool {
	line = strings.TrimSuffix(strings.TrimSpace(line), ",")
	return json.Valid([]byte(line)) || json.Valid([]byte("{"+line+"}")) || json.Valid([]byte("["+line+"]")) || jsonPart.MatchString(line)
}
