package check

import (
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// maxYAMLSteps bounds the nodes of a document that are visited. Aliases and merge keys show a node many
// times, so that a few lines can stand for more nodes than memory holds.
const maxYAMLSteps = 100_000

// yamlReader reads a document with its aliases and merge keys resolved.
type yamlReader struct {
	anchors map[string][]*ast.AnchorNode // in the order of the document
	steps   int
}

// yamlNode is a node with the lines of the aliases and merge keys that led to it.
type yamlNode struct {
	n   ast.Node
	via []int
}

type yamlPair struct {
	key   string
	line  int
	value yamlNode
}

func newYAMLReader(body ast.Node) *yamlReader {
	r := &yamlReader{anchors: map[string][]*ast.AnchorNode{}}
	if body != nil {
		ast.Walk(r, body)
	}
	return r
}

// Visit implements [ast.Visitor]: it learns the anchors.
func (r *yamlReader) Visit(n ast.Node) ast.Visitor {
	if a, ok := n.(*ast.AnchorNode); ok && a.Name != nil {
		name := a.Name.GetToken().Value
		r.anchors[name] = append(r.anchors[name], a)
	}
	return r
}

// step counts a visited node and reports whether it is within the bound.
func (r *yamlReader) step() bool {
	r.steps++
	return r.steps <= maxYAMLSteps
}

// at resolves anchors, tags and aliases of a node.
func (r *yamlReader) at(y yamlNode) yamlNode {
	for range maxYAMLNesting {
		if !r.step() {
			return yamlNode{}
		}
		switch t := y.n.(type) {
		case *ast.AnchorNode:
			y.n = t.Value
		case *ast.TagNode:
			y.n = t.Value
		case *ast.AliasNode:
			y = yamlNode{r.target(t), append(slices.Clone(y.via), lineOf(t))}
		default:
			return y
		}
	}
	return yamlNode{}
}

// target returns the value of the last anchor of the name before an alias, or nil.
func (r *yamlReader) target(alias *ast.AliasNode) ast.Node {
	if alias.Value == nil {
		return nil
	}
	list := r.anchors[alias.Value.GetToken().Value]
	offset := alias.Start.Position.Offset
	for _, a := range slices.Backward(list) {
		if r.step() && a.Start.Position.Offset < offset {
			return a.Value
		}
	}
	return nil
}

// pairs returns the keys and values of a mapping, nil for other nodes. Merged pairs come last, and only if
// the mapping lacks the key.
func (r *yamlReader) pairs(y yamlNode) []yamlPair {
	var out []yamlPair
	seen := map[string]bool{}
	r.collect(y, 0, func(p yamlPair) {
		if !seen[p.key] {
			seen[p.key] = true
			out = append(out, p)
		}
	})
	return out
}

// maxMerges bounds the depth of merges within merges.
const maxMerges = 16

func (r *yamlReader) collect(y yamlNode, depth int, add func(yamlPair)) {
	y = r.at(y)
	var values []*ast.MappingValueNode
	switch m := y.n.(type) {
	case *ast.MappingNode:
		values = m.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{m}
	}
	var merged []yamlNode
	for _, v := range values {
		if !r.step() {
			return
		}
		key := r.scalar(yamlNode{n: v.Key})
		if _, merge := v.Key.(*ast.MergeKeyNode); merge || key == "<<" {
			merged = append(merged, yamlNode{v.Value, append(slices.Clone(y.via), lineOf(v.Key))})
			continue
		}
		add(yamlPair{key, lineOf(v.Key), yamlNode{v.Value, y.via}})
	}
	if depth == maxMerges {
		if len(merged) > 0 {
			r.steps = maxYAMLSteps + 1 // not everything was read
		}
		return
	}
	for _, m := range merged {
		for _, one := range append(r.items(m), m) {
			r.collect(one, depth+1, add)
		}
	}
}

// items returns the entries of a list, nil for other nodes.
func (r *yamlReader) items(y yamlNode) []yamlNode {
	y = r.at(y)
	s, ok := y.n.(*ast.SequenceNode)
	if !ok {
		return nil
	}
	var out []yamlNode
	for _, v := range s.Values {
		if !r.step() {
			return nil
		}
		out = append(out, yamlNode{v, y.via})
	}
	return out
}

// scalar returns the text of a scalar, "" for other nodes.
func (r *yamlReader) scalar(y yamlNode) string {
	switch t := r.at(y).n.(type) {
	case *ast.StringNode:
		return t.Value
	case *ast.LiteralNode:
		return t.Value.Value
	case ast.ScalarNode:
		return t.GetToken().Value
	}
	return ""
}

// lines returns the line of a node and those of the aliases that lead to it.
func (r *yamlReader) lines(y yamlNode) []int {
	y = r.at(y)
	return append(slices.Clone(y.via), lineOf(y.n))
}

func lineOf(n ast.Node) int {
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 0
	}
	return n.GetToken().Position.Line
}
