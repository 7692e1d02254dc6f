// Package repofile reads a repository's own settings file, .assay.yaml. It finds every entry that the file must not or
// cannot have, with its place, and keeps the others.
//
// The file is data from outside. It is bounded in size, nesting and count, anchors, aliases and tags are not followed,
// and no message quotes a value. The caller chooses the version: that of the target branch, never that of a change. The
// package does not know what a tenant permits; package policy decides that.
package repofile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/check"
)

// Bounds of a file.
const (
	MaxFile  = 64 << 10 // bytes
	maxDepth = 10       // levels
	maxPaths = 100      // path patterns, together
	maxRules = 40       // entries of rules, and of instructions
	maxNotes = 50       // messages; the last one counts the others
)

// Tree is the version of a repository whose file counts.
type Tree interface {
	// Blob reads a file; it returns an error that wraps [fs.ErrNotExist] if the file does not exist.
	Blob(ctx context.Context, path string) ([]byte, error)
}

// Read reads the file of a version. A version without the file is not an error, and a file beyond [MaxFile] is broken. Other
// errors are those of the tree; see [Unread].
func Read(ctx context.Context, t Tree, commit string) (policy.File, error) {
	raw, err := t.Blob(ctx, policy.FileName)
	var f policy.File
	switch {
	case err == nil:
		f = Parse(raw)
	case errors.Is(err, fs.ErrNotExist):
	case errs.Is(err, errs.TooLarge):
		f = broken(policy.Place{}, tooLarge)
	default:
		return f, err
	}
	f.Commit = commit
	return f, nil
}

// Unread is the file of a version that cannot be read, now or later.
func Unread(commit string) policy.File {
	f := broken(policy.Place{}, "could not be read from the base commit")
	f.Commit = commit
	return f
}

const crowded = "must not have that many quotes and reserved characters on one line"

const anchored = "must not have anchors or aliases (& and *)"

const tooLarge = "must have at most 64 KiB"

func broken(at policy.Place, why string) policy.File {
	return policy.File{Present: true, Broken: &policy.FileNote{Place: at, Message: why + "; nothing in the file has an effect"}}
}

// Parse reads the text of a file. An entry that must not be there is refused and changes nothing; a text that is not YAML, or
// beyond the bounds, is broken.
func Parse(raw []byte) policy.File {
	if len(raw) > MaxFile {
		return broken(policy.Place{}, tooLarge)
	}
	if !utf8.Valid(raw) || bytes.IndexByte(raw, 0) >= 0 {
		return broken(policy.Place{}, "must be text in UTF-8")
	}
	file, err := check.ParseYAML(bytes.TrimPrefix(raw, []byte("\ufeff")))
	switch {
	case errors.Is(err, check.ErrYAMLAnchors):
		return broken(policy.Place{}, anchored)
	case errors.Is(err, check.ErrYAMLLine):
		return broken(policy.Place{}, crowded)
	case errors.Is(err, check.ErrYAMLBound):
		return broken(policy.Place{}, nestedTooDeeply)
	case err != nil:
		return broken(errorPlace(err), syntax(err))
	}
	docs := slices.DeleteFunc(slices.Clone(file.Docs), func(d *ast.DocumentNode) bool {
		return d.Body == nil || d.Body.Type() == ast.CommentType
	})
	r := reader{file: policy.File{Present: true}}
	switch {
	case len(docs) == 0:
		return r.file
	case len(docs) > 1:
		return broken(placeOf(docs[1].Body), "must be one document, without directives (%) and without a second one after ---")
	}
	if at, why := forbidden(docs[0].Body, 0); why != "" {
		return broken(at, why)
	}
	pairs, ok := mapping(docs[0].Body)
	if !ok {
		return broken(placeOf(docs[0].Body), "must be a group of settings: names with their values")
	}
	r.group("", pairs)
	r.finish()
	return r.file
}

var nestedTooDeeply = fmt.Sprintf("must not nest more than %d levels", maxDepth)

// syntax says what is wrong with a text that is not YAML, without its words.
func syntax(err error) string {
	if strings.Contains(err.Error(), "already defined") {
		return "must not have a name twice in one group"
	}
	return "must be valid YAML"
}

func errorPlace(err error) policy.Place {
	if e, ok := errors.AsType[yaml.Error](err); ok && e.GetToken() != nil && e.GetToken().Position != nil {
		return policy.Place{Line: e.GetToken().Position.Line, Column: e.GetToken().Position.Column}
	}
	return policy.Place{}
}

// placeOf returns the place where a node begins.
func placeOf(n ast.Node) policy.Place {
	if pairs, ok := mapping(n); ok && len(pairs) > 0 {
		n = pairs[0].Key
	}
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return policy.Place{}
	}
	return policy.Place{Line: n.GetToken().Position.Line, Column: n.GetToken().Position.Column}
}

// mapping returns the entries of a group.
func mapping(n ast.Node) ([]*ast.MappingValueNode, bool) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, true
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, true
	}
	return nil, false
}

// forbidden returns the first place with something that strict YAML does not have, and the message about it. The message is
// "" if the node has nothing of the kind.
func forbidden(n ast.Node, depth int) (policy.Place, string) {
	if depth > maxDepth {
		return placeOf(n), nestedTooDeeply
	}
	inner := []ast.Node{}
	switch n := n.(type) {
	case *ast.AnchorNode, *ast.AliasNode:
		return placeOf(n), anchored
	case *ast.TagNode:
		return placeOf(n), "must not have tags (!)"
	case *ast.MappingKeyNode:
		return placeOf(n), "must not have names marked with ?"
	case *ast.SequenceNode:
		inner = n.Values
	default:
		pairs, _ := mapping(n)
		for _, p := range pairs {
			switch p.Key.(type) {
			case *ast.MergeKeyNode:
				return placeOf(p.Key), "must not have merge keys (<<)"
			case *ast.AnchorNode, *ast.AliasNode, *ast.TagNode, *ast.MappingKeyNode:
				return forbidden(p.Key, depth)
			}
			inner = append(inner, p.Value)
		}
	}
	for _, v := range inner {
		if at, why := forbidden(v, depth+1); why != "" {
			return at, why
		}
	}
	return policy.Place{}, ""
}
