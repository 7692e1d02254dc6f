package structure

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
)

// Bounds of a Go file that is parsed. go/parser itself stops only at 100,000 levels (go/parser,
// maxNestLev), which take hundreds of megabytes of stack, and records every character that it cannot read.
const (
	maxGo        = 1 << 20 // bytes; larger ones are made by programs
	maxGoTokens  = 400_000 // a megabyte of usual code has 250,000
	maxGoNesting = 4000    // levels, and operators in a row; long tables of strings have 1,000
	maxGoErrors  = 100     // of the scanner
)

// ErrBound means that a file was not parsed because it is too large, has too many tokens, or is nested too
// deeply.
var ErrBound = errors.New("beyond what is parsed")

// ParseGo parses a Go file as far as possible if a count of its tokens is within the bounds. It resolves
// objects only for [parser.DeclarationErrors]. The error is ErrBound, with a nil file, or that of
// [parser.ParseFile] with the readable part.
func ParseGo(content []byte, mode parser.Mode) (*token.FileSet, *ast.File, error) {
	fset := token.NewFileSet()
	if !withinGo(content) {
		return fset, nil, ErrBound
	}
	if mode&parser.DeclarationErrors == 0 {
		mode |= parser.SkipObjectResolution
	}
	file, err := parser.ParseFile(fset, "x.go", content, mode)
	return fset, file, err
}

// withinGo reports whether a file is within the bounds of parsing, in one pass over the tokens.
func withinGo(content []byte) bool {
	if len(content) > maxGo {
		return false
	}
	wrong := 0
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("x.go", -1, len(content)), content, func(token.Position, string) { wrong++ }, 0)
	var n nesting
	for tokens := 0; tokens <= maxGoTokens; tokens++ {
		_, tok, _ := s.Scan()
		if wrong > maxGoErrors || n.depth > maxGoNesting {
			return false
		}
		if tok == token.EOF {
			return true
		}
		n.add(tok)
	}
	return false
}

// nesting counts levels of brackets, and in each the nesting of a tree without brackets: operators,
// selectors, results of calls, else branches, labels. Up to a constant factor, depth is at least the depth
// of the tree.
type nesting struct {
	depth int   // the open brackets and all runs together
	runs  []int // for each open bracket, the run before it
	run   int   // since the last statement or element
}

func (n *nesting) add(tok token.Token) {
	switch tok {
	case token.LPAREN, token.LBRACK, token.LBRACE:
		n.runs = append(n.runs, n.run)
		n.run = 0
		n.depth++
	case token.RPAREN, token.RBRACK, token.RBRACE:
		if last := len(n.runs) - 1; last >= 0 {
			n.depth -= n.run + 1
			n.run, n.runs = n.runs[last], n.runs[:last]
		}
		n.step()
	case token.SEMICOLON, token.COMMA:
		n.depth -= n.run
		n.run = 0
	case token.IDENT, token.INT, token.FLOAT, token.IMAG, token.CHAR, token.STRING:
	default:
		n.step()
	}
}

func (n *nesting) step() {
	n.run++
	n.depth++
}
