package diff

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// isData reports whether the name is that of data that programs only read. The content must also be
// dataShaped; otherwise models see it.
func (n fileName) isData() bool {
	switch n.ext {
	case ".csv", ".tsv", ".ndjson", ".jsonl", ".svg", ".geojson", ".po", ".pot":
		return true
	}
	return false
}

// dataShaped reports whether a text has the format of its extension. The author chooses the name, so code
// with the name of a data file must not pass.
func (n fileName) dataShaped(content []byte) bool {
	switch n.ext {
	case ".csv":
		return delimited(content, ",;\t")
	case ".tsv":
		return delimited(content, "\t")
	case ".ndjson", ".jsonl":
		return everyLine(content, json.Valid)
	case ".po", ".pot":
		return everyLine(content, func(line []byte) bool { return gettextLine.Match(line) && !runnable.Match(line) })
	case ".geojson":
		return jsonShaped(content)
	case ".svg":
		return isPicture(content)
	}
	return false
}

var (
	gettextLine = regexp.MustCompile(`^\s*(#.*|((msgid|msgid_plural|msgctxt|msgstr(\[\d+\])?)\s+)?"([^"\\]|\\.)*")\s*$`)
	// commandLine matches a line that begins with a shell command.
	commandLine = regexp.MustCompile(`^\s*(sudo|curl|wget|sh|bash|zsh|source|eval|exec|rm|mv|cp|chmod|chown|export|nc|ncat|` +
		`python\d*|node|perl|ruby|php|powershell|pwsh|cmd|start|npm|npx|pip\d*|apt(-get)?|docker|git|make|ssh|scp|dd|crontab|base64|` +
		`echo|printf|cat|kill)\s+[-./\w"'$~<>|]`)
	// cellCode matches code or a formula in an unquoted cell of a table.
	cellCode = regexp.MustCompile("^\\s*[=@]|^\\s*[+-]\\s*[A-Za-z(]|[`|]|\\$[({\\w]|&&|>>|<[a-zA-Z/!]|[\\w\\]]\\(|;\\s*$|[{}]")
	// programLine matches lines that occur in programs but not in lists of packages or values.
	programLine = regexp.MustCompile(`=>|\)\s*\{\s*$|^\s*import\s+[\w{*]|^\s*from\s+\S+\s+import\b|^\s*(def|class|function|func|fn|` +
		`sub|proc)\s+[\w$]+\s*[({:<]|` +
		`^\s*(var|let|const|my|local)\s+[\w$]+\s*=|^\s*return\s|^\s*(if|for|while)\s*[(\[]|^\s*(if|for|while)\s.*(:|; (do|then))\s*$|` +
		`^\s*(package|module|use|using)\s+[\w.:]+;?\s*$|` +
		`^\s*#include\b|^#!|\b(eval|exec|system|require|__import__|popen|spawn)\s*\(|\$\(|<\?php|<script|\bmodule\.exports\b`)
	statement = regexp.MustCompile(`[\w)\]"']\s*;\s*$`)
)

// codeLine reports whether a line occurs in programs.
func codeLine(line []byte) bool {
	return programLine.Match(line) || statement.Match(line) || commandLine.Match(line)
}

// maxFormatLine is the maximum line length of formats that are checked line by line, in bytes.
const maxFormatLine = 64 << 10

// everyLine reports whether all lines that are not blank pass a test. A line above maxFormatLine fails.
func everyLine(content []byte, test func([]byte) bool) bool {
	for line := range bytes.Lines(content) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) > maxFormatLine || len(bytes.TrimSpace(line)) > 0 && !test(line) {
			return false
		}
	}
	return true
}

// delimited reports whether a text is a table: at least 90 percent of the lines have as many cells as the
// first, and no cell has code, a formula or a command.
func delimited(content []byte, delimiters string) bool {
	lines, alike, cells := 0, 0, 0
	var delimiter byte
	plain := everyLine(content, func(line []byte) bool {
		if lines == 0 {
			for _, d := range []byte(delimiters) {
				if n := bytes.Count(line, []byte{d}); n > cells {
					delimiter, cells = d, n
				}
			}
		}
		lines++
		r := csv.NewReader(bytes.NewReader(line))
		r.Comma = rune(cmp.Or(delimiter, ','))
		row, err := r.Read()
		if err != nil || commandLine.Match(line) || programLine.Match(line) {
			return false
		}
		if len(row) == cells+1 {
			alike++
		}
		for _, cell := range row {
			if runnable.MatchString(cell) || cellCode.MatchString(cell) && !bytes.Contains(line, []byte(`"`+cell+`"`)) ||
				strings.ContainsAny(cell[:min(len(cell), 1)], "=@") {
				return false
			}
		}
		return true
	})
	return plain && (lines == 0 || cells > 0 && 10*alike >= 9*lines)
}

// jsonShaped reports whether a text is JSON, or consists of lines of JSON as a diff shows them.
func jsonShaped(content []byte) bool {
	if json.Valid(bytes.TrimPrefix(content, []byte("\uFEFF"))) {
		return true
	}
	return everyLine(content, jsonPart.Match)
}

var jsonPart = regexp.MustCompile(`^\s*("([^"\\]|\\.)*"\s*(:\s*("([^"\\]|\\.)*"|-?[\d.eE+-]+|true|false|null|[\[{][\s\]}]*)?)?|` +
	`-?[\d.eE+-]+|true|false|null|[\[\]{}]+)?\s*[,\]}\[{]*\s*$`)

// isMinified reports whether a tool has packed the file. If the content is known, it must look packed too,
// because the author chooses the name.
func (n fileName) isMinified(content []byte) bool {
	if n.ext == ".map" {
		return content == nil || jsonObject(content, []string{"mappings"}, sourceMap...) ||
			jsonObject(content, []string{"sections"}, sourceMap...)
	}
	switch n.ext {
	case ".js", ".mjs", ".cjs", ".css":
		if content == nil {
			return n.packed()
		}
		return (len(content) > 1024 || n.packed()) && longLined(content)
	}
	return false
}

// sourceMap are the members of a source map (https://tc39.es/ecma426/). They do not run.
var sourceMap = strings.Fields("version file sourceRoot sources sourcesContent names ignoreList x_google_ignoreList debugId " +
	"debug_id x_facebook_sources " +
	"x_google_linecount x_facebook_segments x_facebook_offsets x_metro_module_paths x_hermes_function_offsets")

// longLine is the average line length from which Linguist treats a file as minified
// (lib/linguist/generated.rb).
const longLine = 110

// longLined reports whether a script has long lines on average, and few short lines outside comments, so
// that one long comment does not hide the code beside it.
func longLined(content []byte) bool {
	long, short := 0, 0
	for line := range bytes.Lines(content) {
		switch line = bytes.TrimSpace(line); {
		case len(line) > longLine:
			long++
		case len(line) > 0 && !comment.Match(line):
			short++
		}
	}
	return len(content)/(bytes.Count(content, []byte{'\n'})+1) > longLine && short <= long+3
}

// packed reports whether the name is that of a packed script.
func (n fileName) packed() bool {
	stem := strings.TrimSuffix(n.base, n.ext)
	return slices.ContainsFunc([]string{".min", "-min", ".bundle", ".prod", ".chunk"},
		func(end string) bool { return strings.HasSuffix(stem, end) })
}
