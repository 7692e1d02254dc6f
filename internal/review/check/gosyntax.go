package check

import (
	"context"
	"errors"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"path"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// maxParse bounds the bytes of a file that is parsed.
const maxParse = 4 << 20

// goSyntax tells that a Go file does not parse at head. Files that the go
// command ignores (names that start with "." or "_", folders testdata; go help
// packages) may be broken on purpose.
func goSyntax(ctx context.Context, f *diff.File, src Source) ([]domain.Finding, error) {
	if f.Language != "Go" || f.Status == diff.Deleted || len(f.Hunks) == 0 || f.Class == diff.ClassSymlink || f.Class == diff.ClassVendored {
		return nil, nil
	}
	for element := range strings.SplitSeq(f.Path, "/") {
		if element == "testdata" || strings.HasPrefix(element, "_") || strings.HasPrefix(element, ".") {
			return nil, nil
		}
	}
	content, err := head(ctx, src, f.Path)
	if err != nil || content == nil || len(content) > maxParse {
		return nil, err
	}
	_, err = parser.ParseFile(token.NewFileSet(), path.Base(f.Path), content, parser.SkipObjectResolution)
	var list scanner.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return nil, nil
	}
	first := list[0]
	anchor := place(f, first.Pos.Line, first.Pos.Line)
	if anchor.Level != domain.AnchorLine {
		anchor = firstChange(f)
	}
	return []domain.Finding{{
		Origin: domain.OriginStatic, RuleID: "assay/go-syntax", Category: domain.CategoryBug, Severity: domain.High,
		Title:       "The Go file does not parse",
		Explanation: "The Go parser stops at line " + lineText(first.Pos.Line) + ": " + clip.Runes(visible(oneLine(first.Msg)), 160, "…") + ". The package will not build.",
		Anchor:      anchor,
	}}, nil
}

// head reads the new version of a file; nil where there is none or no source.
func head(ctx context.Context, src Source, name string) ([]byte, error) {
	if src == nil {
		return nil, nil
	}
	b, err := src.Blob(ctx, domain.Right, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}
