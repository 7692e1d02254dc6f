package check

import (
	"context"
	"errors"
	"go/parser"
	"go/scanner"
	"io/fs"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/structure"
	"github.com/assay-dev/assay/internal/wording"
)

// isBuiltGo reports whether a change touches a Go file that the project builds. The go command ignores files and folders that start
// with "." or "_", and folders testdata (go help packages). These may be broken on purpose.
func isBuiltGo(f *diff.File) bool {
	if f.Language != "Go" || f.Status == diff.Deleted || len(f.Hunks) == 0 || f.Class == diff.ClassSymlink || f.Class == diff.ClassVendored {
		return false
	}
	for element := range strings.SplitSeq(f.Path, "/") {
		if element == "testdata" || strings.HasPrefix(element, "_") || strings.HasPrefix(element, ".") {
			return false
		}
	}
	return true
}

// goSyntax reports a Go file that does not parse at the head, at its first error, because others may follow
// from that.
func goSyntax(ctx context.Context, f *diff.File, src Source) (checkResult, error) {
	if !isBuiltGo(f) {
		return checkResult{}, nil
	}
	content, err := head(ctx, src, f.Path)
	if err != nil || content == nil {
		return checkResult{}, err
	}
	_, _, err = structure.ParseGo(content, parser.AllErrors)
	if errors.Is(err, structure.ErrBound) {
		return checkResult{unread: WhyUnparsed}, nil
	}
	var list scanner.ErrorList
	if !errors.As(err, &list) || len(list) == 0 {
		return checkResult{}, nil
	}
	first := list[0]
	anchor := Place(f, first.Pos.Line, first.Pos.Line)
	if anchor.Level != domain.AnchorLine {
		anchor = firstChange(f)
	}
	return singleSighting(domain.Finding{
		Origin: domain.OriginStatic, RuleID: "assay/go-syntax", Category: domain.CategoryBug, Severity: domain.High,
		Title:       wording.English(wording.TitleGo),
		Explanation: wording.English(wording.SayGo, first.Pos.Line, clip.Runes(visible(clip.Line(first.Msg)), 160, "…")),
		Anchor:      anchor, Subject: linesWithErrors(string(content), list), FirstPlace: "file", // which error is first changes with any edit
	}), nil
}

// linesWithErrors returns the lines of a file with errors, each once.
func linesWithErrors(content string, list scanner.ErrorList) string {
	wrong := map[int]bool{}
	for _, e := range list {
		wrong[e.Pos.Line] = true
	}
	var out []string
	number := 0
	for line := range strings.Lines(content) {
		if number++; wrong[number] {
			out = append(out, clip.Line(line))
		}
	}
	return strings.Join(out, "\n")
}

// head reads the new version of a file. It returns nil if the file is absent or there is no source.
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
