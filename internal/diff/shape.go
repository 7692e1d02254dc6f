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

// isData reports whether the name is that of data which programs only read. The
// content must have the shape, see dataShaped; any other text is shown to models.
func (n fileName) isData() bool {
	switch n.ext {
	case ".csv", ".tsv", ".ndjson", ".jsonl", ".svg", ".geojson", ".po", ".pot":
		return true
	}
	return false
}

// dataShaped reports whether a text is what the extension of its name says. An author
// chooses the name: code that is called data is not data.
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
	// commandLine is a line that begins with a command of a shell.
	commandLine = regexp.MustCompile(`^\s*(sudo|curl|wget|sh|bash|zsh|source|eval|exec|rm|mv|cp|chmod|chown|export|nc|ncat|python\d*|node|perl|ruby|php|powershell|pwsh|cmd|start|npm|npx|pip\d*|apt(-get)?|docker|git|make|ssh|scp|dd|crontab|base64|echo|printf|cat|kill)\s+[-./\w"'$~<>|]`)
	// cellCode is what a cell of a table that is no text in quotes has if it is code or a formula.
	cellCode = regexp.MustCompile("^\\s*[=@]|^\\s*[+-]\\s*[A-Za-z(]|[`|]|\\$[({\\w]|&&|>>|<[a-zA-Z/!]|[\\w\\]]\\(|;\\s*$|[{}]")
	// programLine is a line that stands in programs and in no list of packages or values.
	programLine = regexp.MustCompile(`=>|\)\s*\{\s*$|^\s*import\s+[\w{*]|^\s*from\s+\S+\s+import\b|^\s*(def|class|function|func|fn|sub|proc)\s+[\w$]+\s*[({:<]|` +
		`^\s*(var|let|const|my|local)\s+[\w$]+\s*=|^\s*return\s|^\s*(if|for|while)\s*[(\[]|^\s*(if|for|while)\s.*(:|; (do|then))\s*$|` +
		`^\s*(package|module|use|using)\s+[\w.:]+;?\s*$|` +
		`^\s*#include\b|^#!|\b(eval|exec|system|require|__import__|popen|spawn)\s*\(|\$\(|<\?php|<script|\bmodule\.exports\b`)
	statement = regexp.MustCompile(`[\w)\]"']\s*;\s*$`)
)

// codeLine reports whether a line stands in programs.
func codeLine(line []byte) bool {
	return programLine.Match(line) || statement.Match(line) || commandLine.Match(line)
}

// maxFormatLine bounds the lines of formats that are read line by line, in bytes. One that is longer is of none.
const maxFormatLine = 64 << 10

// everyLine reports whether each line that is not blank passes a test.
func everyLine(content []byte, test func([]byte) bool) bool {
	for line := range bytes.Lines(content) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) > maxFormatLine || len(bytes.TrimSpace(line)) > 0 && !test(line) {
			return false
		}
	}
	return true
}

// delimited reports whether a text is a table: nearly all lines have as many cells as the first, and none has
// code, a formula or a command in it.
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
			if runnable.MatchString(cell) || cellCode.MatchString(cell) && !bytes.Contains(line, []byte(`"`+cell+`"`)) || strings.ContainsAny(cell[:min(len(cell), 1)], "=@") {
				return false
			}
		}
		return true
	})
	return plain && (lines == 0 || cells > 0 && 10*alike >= 9*lines)
}

// jsonShaped reports whether a text is JSON, or lines out of the middle of JSON as a
// diff shows them.
func jsonShaped(content []byte) bool {
	if json.Valid(bytes.TrimPrefix(content, []byte("\uFEFF"))) {
		return true
	}
	return everyLine(content, jsonPart.Match)
}

var jsonPart = regexp.MustCompile(`^\s*("([^"\\]|\\.)*"\s*(:\s*("([^"\\]|\\.)*"|-?[\d.eE+-]+|true|false|null|[\[{][\s\]}]*)?)?|-?[\d.eE+-]+|true|false|null|[\[\]{}]+)?\s*[,\]}\[{]*\s*$`)

// isMinified reports whether a tool has packed the file. The content, where it is
// known, must look so: the name is the author's.
func (n fileName) isMinified(content []byte) bool {
	if n.ext == ".map" {
		return content == nil || jsonObject(content, []string{"mappings"}, sourceMap...) || jsonObject(content, []string{"sections"}, sourceMap...)
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

// sourceMap are the members of a source map (https://tc39.es/ecma426/); none of them runs.
var sourceMap = strings.Fields("version file sourceRoot sources sourcesContent names ignoreList x_google_ignoreList debugId debug_id x_facebook_sources " +
	"x_google_linecount x_facebook_segments x_facebook_offsets x_metro_module_paths x_hermes_function_offsets")

// longLine is the average from which Linguist takes a file for minified
// (lib/linguist/generated.rb).
const longLine = 110

// longLined reports whether a script is in long lines: on average, and with hardly a short line
// that is no comment, so that one long comment does not hide the code beside it.
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

// packed reports whether the name or the folder is that of packed scripts.
func (n fileName) packed() bool {
	stem := strings.TrimSuffix(n.base, n.ext)
	return slices.ContainsFunc([]string{".min", "-min", ".bundle", ".prod", ".chunk"}, func(end string) bool { return strings.HasSuffix(stem, end) })
}
