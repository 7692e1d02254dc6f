package anchor

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/parser"
	"path"
	"regexp"
	"strings"
	template "text/template/parse"

	"github.com/pelletier/go-toml/v2"
	shell "mvdan.cc/sh/v3/syntax"

	"github.com/assay-dev/assay/internal/review/python"
	"github.com/assay-dev/assay/internal/review/structure"
)

// maxShell is the most bytes of a script that is parsed, because the parser recurses for each level of
// nesting.
const maxShell = 64 << 10

// maxNested is the most opening brackets of one kind in a shell script; each may be a level.
const maxNested = 3000

// maxTOML is the most bytes of a TOML file that is parsed, for the same reason.
const maxTOML = 64 << 10

// withoutPanic turns a panic of a parser into the answer "not known", because a text from outside must not end a
// review.
func withoutPanic(parse func([]byte) (valid, known bool)) func([]byte) (valid, known bool) {
	if parse == nil {
		return nil
	}
	return func(b []byte) (valid, known bool) {
		defer func() {
			if recover() != nil {
				valid, known = false, false
			}
		}()
		return parse(b)
	}
}

// parserOf returns the parser of a language, nil for a language without one here. valid is false if the
// language's own tools refuse the file, also for a name declared twice or a key set twice.
func parserOf(language, name string) func([]byte) (valid, known bool) {
	switch ext := strings.ToLower(path.Ext(name)); {
	case language == "Go":
		return func(b []byte) (bool, bool) {
			_, _, err := structure.ParseGo(b, parser.DeclarationErrors)
			return err == nil, !errors.Is(err, structure.ErrBound)
		}
	case language == "JSON" && ext == ".json":
		return func(b []byte) (bool, bool) { return json.Valid(b) && !repeatsKey(b), true }
	case language == "Bash" && ext != ".zsh" && ext != ".ksh":
		return validShell
	case language == "Docker":
		return validDocker
	case language == "Python":
		return python.Valid
	case xmlFiles[ext]:
		return validXML
	case language == "TOML":
		return func(b []byte) (bool, bool) {
			if len(b) > maxTOML {
				return false, false
			}
			return toml.Unmarshal(b, &map[string]any{}) == nil, true
		}
	}
	return validScript(name)
}

// maxTemplate is the most bytes of a template that is parsed.
const maxTemplate = 64 << 10

// goTemplate matches constructs that only Go templates have, such as those of Helm, and not other templates
// with the same braces.
var goTemplate = regexp.MustCompile(`{{-?\s*(?:\.[A-Z]|/\*|(?:include|template|define|block) "|end\s*-?}}|\$\w*\s*:=)`)

// validTemplate reports whether a file parses as a Go template, with any functions. known is false if the
// file contains workflow expressions, which have their own grammar.
func validTemplate(b []byte) (valid, known bool) {
	if bytes.Contains(b, []byte("${{")) {
		return false, false
	}
	return withoutPanic(func(b []byte) (bool, bool) {
		t := template.New("")
		t.Mode = template.SkipFuncCheck
		_, err := t.Parse(string(b), "", "", map[string]*template.Tree{})
		return err == nil, true
	})(b)
}

// isTemplate reports whether a file is a Go template that parses.
func isTemplate(b []byte) bool {
	if len(b) > maxTemplate || !goTemplate.Match(b) {
		return false
	}
	valid, _ := validTemplate(b)
	return valid
}

// isProgram lists the languages with a parser in which a Go template can only stand in strings.
var isProgram = languages("Go", "Python", "JavaScript", "TypeScript", "react", "Bash", "Docker")

// validWithComments parses JSON with comments and with trailing commas.
func validWithComments(b []byte) (valid, known bool) {
	syn := *syntaxOf("JSON")
	syn.quotes = `"`
	var out []byte
	comma := false
	syn.scanTokens(string(b), func(k kind, _ int, piece string) {
		if k == kindComment {
			return
		}
		if comma && (k != kindCode || piece != "]" && piece != "}") {
			out = append(out, ',')
		}
		if comma = k == kindCode && piece == ","; !comma {
			out = append(out, ' ')
			out = append(out, piece...)
		}
	})
	return !comma && json.Valid(out) && !repeatsKey(out), true
}

// validShell parses a script as Bash, which includes the syntax of POSIX shells.
func validShell(b []byte) (valid, known bool) {
	if len(b) > maxShell || bytes.Count(b, []byte("(")) > maxNested || bytes.Count(b, []byte("[")) > maxNested {
		return false, false
	}
	_, err := shell.NewParser(shell.Variant(shell.LangBash)).Parse(bytes.NewReader(b), "")
	return err == nil, true
}

// dockerWords begin the lines of a Dockerfile (https://docs.docker.com/reference/dockerfile/).
var dockerWords = wordSet(`add arg cmd copy entrypoint env expose from healthcheck label maintainer onbuild run shell stopsignal
	user volume workdir`)

// dockerText matches the beginning of a here-document.
var dockerText = regexp.MustCompile(`<<-?["']?([A-Za-z_]\w*)["']?`)

// validDocker reports whether every line of a Dockerfile begins with an instruction or continues one, and
// every here-document ends.
func validDocker(b []byte) (valid, known bool) {
	var ends []string // words that end the open here-documents
	goesOn := false
	for l := range strings.Lines(string(b)) {
		text := strings.TrimSpace(l)
		switch {
		case len(ends) > 0 && !goesOn:
			if text == ends[0] {
				ends = ends[1:]
			}
			continue
		case text == "" || text[0] == '#':
			continue
		}
		if word := strings.Fields(text)[0]; !goesOn && !dockerWords[strings.ToLower(word)] {
			return false, true
		}
		for _, m := range dockerText.FindAllStringSubmatch(text, -1) {
			ends = append(ends, m[1])
		}
		goesOn = strings.HasSuffix(text, `\`)
	}
	return len(ends) == 0 && !goesOn, true
}

// repeatsKey reports whether an object of a valid JSON text has a key twice, because programs silently drop
// one of the two.
func repeatsKey(b []byte) bool {
	type level struct {
		keys map[string]bool // nil in a list
		key  bool            // a key comes next
	}
	var levels []level
	for d := json.NewDecoder(bytes.NewReader(b)); ; {
		t, err := d.Token()
		if err != nil { // the end of a valid text
			return false
		}
		var in *level
		if len(levels) > 0 {
			in = &levels[len(levels)-1]
		}
		if name, is := t.(string); is && in != nil && in.key {
			if in.keys[name] {
				return true
			}
			in.keys[name], in.key = true, false
			continue
		}
		if in != nil && in.keys != nil {
			in.key = true
		}
		switch t {
		case json.Delim('{'):
			levels = append(levels, level{keys: map[string]bool{}, key: true})
		case json.Delim('['):
			levels = append(levels, level{})
		case json.Delim('}'), json.Delim(']'):
			levels = levels[:len(levels)-1]
		}
	}
}
