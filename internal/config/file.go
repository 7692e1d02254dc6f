package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// loadFile reads the YAML file. It parses values like those of the environment. Problems have line and
// column and never show a value.
func (c *Config) loadFile(path string) Problems {
	f, err := os.Open(path) //nolint:gosec // the operator names the file
	if err != nil {
		return Problems{{Place: path, Message: "cannot be read: " + err.Error()}}
	}
	defer func() { _ = f.Close() }()
	raw, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil || len(raw) > maxFile {
		return Problems{{Place: path, Message: "cannot be read, or is larger than 1 MiB"}}
	}
	return c.parseFile(path, raw)
}

func (c *Config) parseFile(path string, raw []byte) Problems {
	tree, err := parser.ParseBytes(raw, 0)
	if err != nil {
		at := path
		if ye, ok := errors.AsType[yaml.Error](err); ok && ye.GetToken() != nil {
			p := ye.GetToken().Position
			at = fmt.Sprintf("%s:%d:%d", path, p.Line, p.Column)
		}
		return Problems{{Place: at, Message: "is not valid YAML here (a tab, a missing colon, a wrong indentation, or a key that is " +
			"there twice)"}}
	}
	r := &fileReader{config: c, path: path, leaves: map[string]leaf{}, groups: map[string]bool{}}
	for _, l := range leaves() {
		r.leaves[l.name] = l
		for name := l.name; strings.Contains(name, "."); {
			name = name[:strings.LastIndexByte(name, '.')]
			r.groups[name] = true
		}
	}
	for i, doc := range tree.Docs {
		if i > 0 && doc.Body != nil {
			r.fail(doc.Body, "", "only one YAML document is allowed")
			break
		}
		if doc.Body != nil {
			r.mapping(doc.Body, "")
		}
	}
	return r.problems
}

type fileReader struct {
	config   *Config
	path     string
	leaves   map[string]leaf
	groups   map[string]bool
	problems Problems
}

func (r *fileReader) place(n ast.Node) string {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return fmt.Sprintf("%s:%d:%d", r.path, t.Position.Line, t.Position.Column)
	}
	return r.path
}

func (r *fileReader) fail(n ast.Node, name, message string) {
	p := Problem{Name: name, Place: r.place(n), Message: message}
	if l, ok := r.leaves[name]; ok {
		p.Env = l.env
	}
	r.problems = append(r.problems, p)
}

func (r *fileReader) mapping(n ast.Node, prefix string) {
	switch m := n.(type) {
	case *ast.MappingNode:
		for _, v := range m.Values {
			r.entry(v, prefix)
		}
	case *ast.MappingValueNode: // a mapping with one entry
		r.entry(m, prefix)
	case *ast.NullNode, *ast.CommentGroupNode:
	default:
		r.fail(n, strings.TrimSuffix(prefix, "."), "must be a mapping of settings")
	}
}

func (r *fileReader) entry(v *ast.MappingValueNode, prefix string) {
	key, ok := v.Key.(*ast.StringNode)
	if !ok {
		r.fail(v, "", "keys must be plain names")
		return
	}
	name := prefix + key.Value
	if r.groups[name] {
		r.mapping(v.Value, name+".")
		return
	}
	if l, ok := r.leaves[name]; ok {
		r.leaf(l, v.Value)
		return
	}
	if l, ok := r.leaves[strings.TrimSuffix(name, "File")]; ok && l.secret != "" {
		r.secretFile(l, v.Value)
		return
	}
	known := map[string]bool{}
	for n := range r.leaves {
		known[n] = true
	}
	r.fail(v.Key, "", "is not a setting"+guess(name, known))
}

func (r *fileReader) leaf(l leaf, n ast.Node) {
	if _, null := n.(*ast.NullNode); null {
		return // null means absent
	}
	text, ok := "", false
	if l.isList() {
		text, ok = listText(n)
	} else {
		text, ok = scalarText(n)
	}
	if !ok {
		r.fail(n, l.name, map[bool]string{true: "must be a list of plain values", false: "must be a plain value"}[l.isList()])
		return
	}
	r.assign(l, n, text)
}

func (r *fileReader) secretFile(l leaf, n ast.Node) {
	path, ok := scalarText(n)
	if !ok {
		r.fail(n, l.name, "must be the path of a file")
		return
	}
	if r.config.origins[l.env].source == FromFile {
		r.fail(n, l.name, "is there twice: as a value and as a file")
		return
	}
	text, err := readSecretFile(path)
	if err != nil {
		r.fail(n, l.name, "names a file that cannot be used: "+err.Error())
		return
	}
	r.assign(l, n, text)
}

func (r *fileReader) assign(l leaf, n ast.Node, text string) {
	if text == "" { // an explicit empty value switches a setting off; only text settings allow it
		if l.typ.Kind().String() != "string" && l.secret == "" && !l.isList() {
			r.fail(n, l.name, l.want())
			return
		}
		if l.env == envPrefix+"METRICS_LISTEN" {
			text = "off"
		}
	}
	if err := r.config.set(l, text); err != nil {
		r.fail(n, l.name, l.want())
		return
	}
	r.config.origins[l.env] = origin{FromFile, r.place(n)}
}

// scalarText returns the text of a plain value. Anchors, aliases and tags are not supported, because they
// hide where a value comes from.
func scalarText(n ast.Node) (string, bool) {
	switch v := n.(type) {
	case *ast.StringNode:
		return v.Value, true
	case *ast.LiteralNode:
		return v.Value.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// listText returns the values of a list, separated by commas. It treats a plain value as a list with one
// entry.
func listText(n ast.Node) (string, bool) {
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		return scalarText(n)
	}
	words := make([]string, 0, len(seq.Values))
	for _, v := range seq.Values {
		w, ok := scalarText(v)
		if !ok || strings.Contains(w, ",") {
			return "", false
		}
		words = append(words, w)
	}
	return strings.Join(words, ","), true
}
