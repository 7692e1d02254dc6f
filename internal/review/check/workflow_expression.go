package check

import (
	"slices"
	"strings"

	"github.com/rhysd/actionlint"
)

// Bounds of an expression (design choices).
const (
	maxExpression     = 4000 // bytes that are parsed
	maxExpressionRows = 20   // lines of an expression in which the linter finds a fault
)

// workflowExpression is an expression in ${{ }} of a workflow, with its first and last line.
type workflowExpression struct {
	first, last int
	node        actionlint.ExprNode
}

// workflowExpressions returns the expressions of a text, in order. Those that do not parse are left out.
func workflowExpressions(text string) (out []workflowExpression) {
	line := 1
	for {
		before, rest, found := strings.Cut(text, "${{")
		if !found {
			return out
		}
		line += strings.Count(before, "\n")
		source := rest[:min(len(rest), maxExpression)]
		node, length := parseExpression(source)
		if node == nil { // within a text in single quotes, a quote stands twice
			node, _ = parseExpression(strings.ReplaceAll(source, "''", "'"))
			length = 0
		}
		if node != nil {
			out = append(out, workflowExpression{line, line + strings.Count(source[:min(length, len(source))], "\n"), node})
		}
		text = rest
	}
}

// parseExpression parses the expression that a text begins with. node is nil if the text does not begin with an expression.
func parseExpression(text string) (node actionlint.ExprNode, length int) {
	l := actionlint.NewExprLexer(text)
	node, err := actionlint.NewExprParser().Parse(l)
	if err != nil {
		return nil, 0
	}
	return node, l.Offset()
}

// carries reports whether the value of an expression can have the text that a path such as github.event.issue.title names. A comparison
// has only true or false.
func carries(node actionlint.ExprNode, path []string) bool {
	switch n := node.(type) {
	case *actionlint.LogicalOpNode:
		return carries(n.Right, path) || n.Kind == actionlint.LogicalOpNodeKindOr && carries(n.Left, path)
	case *actionlint.FuncCallNode:
		switch strings.ToLower(n.Callee) {
		case "contains", "startswith", "endswith", "hashfiles":
			return false
		}
		return slices.ContainsFunc(n.Args, func(arg actionlint.ExprNode) bool { return carries(arg, path) })
	case *actionlint.VariableNode, *actionlint.ObjectDerefNode, *actionlint.ArrayDerefNode, *actionlint.IndexAccessNode:
		return slices.EqualFunc(expressionPath(node), path, func(a, b string) bool { return a == "*" || b == "*" || strings.EqualFold(a, b) })
	}
	return false
}

// expressionPath returns the names that an access such as github.event['issue'] has, with * for an index or all elements. It is nil for
// the access to another value than a variable.
func expressionPath(node actionlint.ExprNode) (out []string) {
	for {
		switch n := node.(type) {
		case *actionlint.VariableNode:
			out = append(out, n.Name)
			slices.Reverse(out)
			return out
		case *actionlint.ObjectDerefNode:
			out, node = append(out, n.Property), n.Receiver
		case *actionlint.ArrayDerefNode:
			out, node = append(out, "*"), n.Receiver
		case *actionlint.IndexAccessNode:
			name := "*"
			if s, ok := n.Index.(*actionlint.StringNode); ok {
				name = s.Value
			}
			out, node = append(out, name), n.Operand
		default:
			return nil
		}
	}
}

// carriersAt returns the expressions that can carry a text, in the block of text that begins at a line. The linter
// reports the first line of the block for each expression in the block. It counts the lines within an expression from that line.
func (l workflowLines) carriersAt(line int, name string) (out []workflowExpression) {
	path := strings.Split(name, ".")
	for within := 0; within <= maxExpressionRows && within < line && len(out) == 0; within++ {
		begin := line - within
		end := l.blockEnd(begin)
		for _, e := range l.expressions {
			if e.first >= begin && e.first <= end && e.last-e.first >= within && carries(e.node, path) {
				out = append(out, e)
			}
		}
	}
	return out
}
