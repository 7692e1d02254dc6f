// Package toolsettings reads the settings files of other review tools: of CodeRabbit, PR-Agent, Greptile and Gemini
// Code Assist. It finds the instructions for reviewers in them, and maps their settings to those of a repository
// policy.
//
// A file is data from outside. It is bounded in size, nesting and count, and nothing in it is executed. The package
// does not read files and does not reach a server.
package toolsettings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/pelletier/go-toml/v2"

	"github.com/assay-dev/assay/internal/review/check"
)

// The settings files, by their paths from the root of a repository.
const (
	CodeRabbit = ".coderabbit.yaml"
	PRAgent    = ".pr_agent.toml"
	Greptile   = "greptile.json"
	Gemini     = ".gemini/config.yaml"
)

// Files returns the paths of the settings files, in the order in which [Map] takes their values.
func Files() []string { return []string{CodeRabbit, PRAgent, Greptile, Gemini} }

// MaxFile is the maximum size of a settings file in bytes.
const MaxFile = 64 << 10

// Bounds of a settings file.
const (
	maxNesting = 64   // levels
	maxValues  = 5000 // values, lists and groups of settings
)

// fileError says why a settings file cannot be read. Its texts never quote the file.
type fileError struct {
	File string
	Line int // 0 if it is not known
	Why  string
}

// Error implements error.
func (e *fileError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Why)
	}
	return e.File + ": " + e.Why
}

// document is a settings file: groups of settings (map[string]any), lists ([]any), and values (string, bool, int64,
// float64, nil, unsupported). lines has the lines of values by their place, such as reviews.path_filters[2].
type document struct {
	file  string
	root  map[string]any
	lines map[string]int
}

// unsupported is a value that is not read: an alias, an anchor, a tag or a date. The text says which.
type unsupported string

// parse reads a settings file by its name. Errors: a file error.
func parse(file string, content []byte) (document, error) {
	d := document{file: file, lines: map[string]int{}}
	fail := func(line int, why string) (document, error) { return document{}, &fileError{file, line, why} }
	switch {
	case len(content) > MaxFile:
		return fail(0, fmt.Sprintf("must have at most %d KiB", MaxFile>>10))
	case !utf8.Valid(content) || bytes.IndexByte(content, 0) >= 0:
		return fail(0, "must be text in UTF-8")
	}
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	var root any
	var err error
	switch path.Ext(file) {
	case ".yaml":
		root, err = d.parseYAML(content)
	case ".toml":
		root, err = parseTOML(content)
	default:
		root, err = parseJSON(content)
	}
	if err != nil {
		return fail(lineOf(err, content), wrong(err, file))
	}
	count := 0
	if !within(root, 0, &count) {
		return fail(0, fmt.Sprintf("must have at most %d values, nested at most %d deep", maxValues, maxNesting))
	}
	switch root := root.(type) {
	case nil:
		d.root = map[string]any{}
	case map[string]any:
		d.root = root
	default:
		return fail(1, "must be a group of settings: names with their values")
	}
	return d, nil
}

// errDocuments means that a file has several documents.
var errDocuments = errors.New("several documents")

func (d document) parseYAML(content []byte) (any, error) {
	file, err := check.ParseYAML(content)
	if err != nil {
		return nil, err
	}
	var out any
	for i, doc := range file.Docs {
		switch {
		case i == 0:
			out = d.value(doc.Body, "")
		case doc.Body != nil && doc.Body.Type() != ast.CommentType:
			return nil, errDocuments
		}
	}
	return out, nil
}

// value converts a node of YAML, and records its lines.
func (d document) value(n ast.Node, place string) any {
	if n == nil {
		return nil
	}
	if t := n.GetToken(); t != nil && t.Position != nil && place != "" {
		d.lines[place] = t.Position.Line
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return d.group(n.Values, place)
	case *ast.MappingValueNode:
		return d.group([]*ast.MappingValueNode{n}, place)
	case *ast.SequenceNode:
		out := make([]any, len(n.Values))
		for i, v := range n.Values {
			out[i] = d.value(v, fmt.Sprintf("%s[%d]", place, i))
		}
		return out
	case *ast.StringNode:
		return n.Value
	case *ast.LiteralNode:
		return n.Value.Value
	case *ast.BoolNode:
		return n.Value
	case *ast.IntegerNode:
		if v, err := strconv.ParseInt(n.GetToken().Value, 10, 64); err == nil {
			return v
		}
		return unsupported("a number of this form is not read")
	case *ast.FloatNode:
		return n.Value
	case *ast.NullNode, *ast.CommentGroupNode:
		return nil
	}
	return unsupported("anchors, aliases and tags of YAML are not followed")
}

func (d document) group(values []*ast.MappingValueNode, place string) any {
	out := map[string]any{}
	for _, v := range values {
		key, ok := v.Key.(*ast.StringNode)
		if !ok {
			return unsupported("a name that is not plain text is not read")
		}
		at := join(place, key.Value)
		out[key.Value] = d.value(v.Value, at)
		if p := key.GetToken().Position; p != nil { // the line of the name is the one that people look for
			d.lines[at] = p.Line
		}
	}
	return out
}

func parseTOML(content []byte) (any, error) {
	if deepTOML(content) {
		return nil, check.ErrYAMLBound
	}
	out := map[string]any{}
	if err := toml.Unmarshal(content, &out); err != nil {
		return nil, err
	}
	return plain(out), nil
}

// deepTOML reports whether a text could nest too deeply: its parser keeps a level for each bracket, and for each part
// of a dotted name.
func deepTOML(content []byte) bool {
	for line := range bytes.SplitSeq(content, []byte("\n")) {
		if name, _, _ := bytes.Cut(line, []byte("=")); bytes.Count(name, []byte(".")) > maxNesting && !bytes.ContainsAny(name, " \t") {
			return true
		}
	}
	depth, deepest := 0, 0
	for _, c := range content {
		switch c {
		case '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ']', '}':
			depth = max(depth-1, 0)
		}
	}
	return deepest > maxNesting
}

// plain replaces the types of TOML's times.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			v[k] = plain(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = plain(inner)
		}
	case string, bool, int64, float64, nil:
	default:
		return unsupported("a value of this kind is not read")
	}
	return v
}

func parseJSON(content []byte) (any, error) {
	r := json.NewDecoder(bytes.NewReader(content))
	r.UseNumber()
	var out any
	if err := r.Decode(&out); err != nil {
		return nil, err
	}
	if _, err := r.Token(); !errors.Is(err, io.EOF) {
		return nil, errDocuments
	}
	return numbers(out), nil
}

// numbers turns the numbers of JSON into those of a document.
func numbers(v any) any {
	switch t := v.(type) {
	case map[string]any:
		for k, inner := range t {
			t[k] = numbers(inner)
		}
	case []any:
		for i, inner := range t {
			t[i] = numbers(inner)
		}
	case json.Number:
		if n, err := t.Int64(); err == nil {
			return n
		}
		f, _ := t.Float64()
		return f
	}
	return v
}

// within reports whether a tree is within the bounds.
func within(v any, depth int, count *int) bool {
	if *count++; *count > maxValues || depth > maxNesting {
		return false
	}
	switch v := v.(type) {
	case map[string]any:
		for inner := range maps.Values(v) {
			if !within(inner, depth+1, count) {
				return false
			}
		}
	case []any:
		return !slices.ContainsFunc(v, func(inner any) bool { return !within(inner, depth+1, count) })
	}
	return true
}

// lineOf returns the line that an error of a parser names, 0 if it names none.
func lineOf(err error, content []byte) int {
	if e, ok := errors.AsType[yaml.Error](err); ok && e.GetToken() != nil && e.GetToken().Position != nil {
		return e.GetToken().Position.Line
	}
	if e, ok := errors.AsType[*toml.DecodeError](err); ok {
		line, _ := e.Position()
		return line
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		return 1 + bytes.Count(content[:min(int(e.Offset), len(content))], []byte("\n"))
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return 1 + bytes.Count(content, []byte("\n"))
	}
	return 0
}

// wrong says what is wrong with a file, without its text.
func wrong(err error, file string) string {
	switch {
	case errors.Is(err, check.ErrYAMLAnchors):
		return "must have fewer anchors and aliases"
	case errors.Is(err, check.ErrYAMLLine):
		return "must have fewer quotes and reserved characters on one line"
	case errors.Is(err, check.ErrYAMLBound):
		return fmt.Sprintf("must not nest more than %d levels", maxNesting)
	case errors.Is(err, errDocuments):
		return "must have one document"
	}
	format := strings.ToUpper(strings.TrimPrefix(path.Ext(file), "."))
	return fmt.Sprintf("must be valid %s", format)
}

func join(place, name string) string {
	if place == "" {
		return name
	}
	return place + "." + name
}

// at returns the value of a place such as reviews.auto_review.drafts, and false if the file does not have it.
func (d document) at(place string) (any, bool) {
	var v any = d.root
	for name := range strings.SplitSeq(place, ".") {
		group, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = group[name]; !ok {
			return nil, false
		}
	}
	return v, true
}
