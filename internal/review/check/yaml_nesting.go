package check

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// Bounds of YAML that is parsed. The parser (goccy/go-yaml v1.19) keeps the text of the path of every node,
// so that memory grows with the square of the depth: 16,000 levels in 32 KiB took 413 MiB.
const (
	maxYAML        = 64 << 10 // bytes
	maxYAMLNesting = 64       // levels
	maxYAMLPaths   = 16 << 20 // bytes of all paths together
	// The lexer copies the line up to each anchor and alias, so that its work grows with the square of their number.
	maxYAMLAnchors = 1000
	// So it does for quotes and for characters that begin no value: 65,000 of them on one line took 1.1 seconds.
	maxYAMLLineWork = 256 << 20
)

// ErrYAMLBound means that a text was not parsed because it is too long or nested too deeply.
var ErrYAMLBound = errors.New("beyond what is parsed")

// ErrYAMLAnchors is the [ErrYAMLBound] of a text with more anchors and aliases than are parsed.
var ErrYAMLAnchors = fmt.Errorf("%w: too many anchors and aliases", ErrYAMLBound)

// ErrYAMLLine is the [ErrYAMLBound] of a text with more quotes and reserved characters on a line than are parsed.
var ErrYAMLLine = fmt.Errorf("%w: too many quotes and reserved characters on a line", ErrYAMLBound)

// errYAMLPanic means that the parser panicked.
var errYAMLPanic = errors.New("the parser failed")

// ParseYAML parses a text of at most 64 KiB after a count of its tokens. It does not resolve aliases. Errors: [ErrYAMLBound],
// [ErrYAMLAnchors], [ErrYAMLLine], errYAMLPanic, or that of the parser, which may quote the text.
func ParseYAML(content []byte) (file *ast.File, err error) {
	defer func() { // the parser reads bytes from outside, and its panic must not end the review
		if recover() != nil {
			file, err = nil, errYAMLPanic
		}
	}()
	if len(content) > maxYAML {
		return nil, ErrYAMLBound
	}
	if countAnchors(content) > maxYAMLAnchors {
		return nil, ErrYAMLAnchors
	}
	if lineWork(content) > maxYAMLLineWork {
		return nil, ErrYAMLLine
	}
	tokens := lexer.Tokenize(string(content))
	if depth, paths := nestingOf(tokens); depth > maxYAMLNesting || paths > maxYAMLPaths {
		return nil, ErrYAMLBound
	}
	return parser.Parse(tokens, 0)
}

// countAnchors counts the places of a text where an anchor or an alias may begin. Those in texts and comments count, too.
func countAnchors(content []byte) (n int) {
	before := byte(' ')
	for i, c := range content {
		isMark := (c == '&' || c == '*') && i+1 < len(content) && content[i+1] != ' ' && content[i+1] != '\n'
		if isMark && bytes.IndexByte([]byte(" \t\r\n[{,:&*"), before) >= 0 {
			n++
		}
		before = c
	}
	return n
}

// lineWork estimates the work of the lexer, which copies the line before quotes and before characters that begin no value: the sum
// over the lines of their bytes times the number of such characters.
func lineWork(content []byte) (work int) {
	for line := range bytes.Lines(content) {
		marks := 0
		for _, c := range line {
			if bytes.IndexByte([]byte("@`%!'\"&*]}"), c) >= 0 {
				marks++
			}
		}
		work += marks * len(line)
	}
	return work
}

// level is an enclosing element: a key or an entry of a block at its column, or an open bracket.
type level struct {
	column  int        // of a block
	bracket token.Type // the opening bracket, 0 for a block
	path    int        // bytes that it adds to the paths of the elements inside
}

// nestingOf counts the levels of the deepest token, and the bytes of the paths of all tokens. Up to a
// constant factor, both are at least the parser's own figures. For malformed text they are higher.
func nestingOf(tokens token.Tokens) (depth, paths int) {
	var open []level
	path, key, prefix, line := 0, 0, 0, 0
	pop := func() {
		path -= open[len(open)-1].path
		open = open[:len(open)-1]
	}
	push := func(l level) {
		open = append(open, l)
		path += l.path
	}
	const entry = 8 // bytes of the path of a list entry: its index in brackets
	for i, t := range tokens {
		isKey := i+1 < len(tokens) && tokens[i+1].Type == token.MappingValueType
		flow := len(open) > 0 && open[len(open)-1].bracket != 0
		begins := t.Position.Line != line && t.Type != token.CommentType
		line = t.Position.Line
		if !flow && (begins || isKey || t.Type == token.SequenceEntryType) {
			for len(open) > 0 && open[len(open)-1].bracket == 0 && open[len(open)-1].column >= t.Position.Column {
				pop()
				if begins && (i == 0 || !prefixes(tokens[i-1].Type)) {
					prefix = 0
				}
			}
		}
		switch {
		case t.Type == token.SequenceStartType, t.Type == token.MappingStartType:
			push(level{bracket: t.Type, path: key + entry})
			key, prefix = 0, 0
		case t.Type == token.SequenceEndType && flow && open[len(open)-1].bracket == token.SequenceStartType,
			t.Type == token.MappingEndType && flow && open[len(open)-1].bracket == token.MappingStartType:
			pop()
			key, prefix = 0, 0
		case t.Type == token.CollectEntryType:
			key, prefix = 0, 0
		case prefixes(t.Type):
			prefix++
		case t.Type == token.MappingValueType:
			if flow || i == 0 || tokens[i-1].Type == token.MappingValueType {
				prefix++
			}
		case flow && isKey:
			key = len(t.Value)
		case flow && t.Type == token.SequenceEntryType:
			prefix++
		case isKey:
			push(level{column: t.Position.Column, path: len(t.Value) + 1})
		case t.Type == token.SequenceEntryType:
			push(level{column: t.Position.Column, path: entry})
		default:
			prefix = 0
		}
		depth = max(depth, len(open)+prefix)
		paths += path + key
	}
	return depth, paths
}

// prefixes reports whether a token can stand repeatedly before a value: a tag, an anchor, or the mark of a
// key.
func prefixes(t token.Type) bool {
	return t == token.TagType || t == token.AnchorType || t == token.MappingKeyType
}

// ValidYAML reports whether a text is YAML. known is false if the text is beyond the bounds of parsing.
func ValidYAML(content []byte) (valid, known bool) {
	_, err := ParseYAML(content)
	return err == nil, !errors.Is(err, ErrYAMLBound)
}
