package engine

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/snapshot"
)

// maxRewritten bounds the texts that one review compares itself, in [diff.Weight]: git shows no
// hunks of files that it calls binary, and too few of files that became something else.
const maxRewritten = 32 << 20

// textSource reads files as texts: in UTF-8, with NUL made visible. Other files are returned as they are.
type textSource struct{ change.Source }

// Blob implements [Source].
func (s textSource) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	b, err := s.Source.Blob(ctx, side, path)
	if err != nil {
		return b, err
	}
	if text, ok := diff.Text(b); ok {
		return text, nil
	}
	return b, nil
}

// fileJudge decides the classes of the files of one change.
type fileJudge struct {
	src       *change.BoundedSource
	proofs    map[string]bool              // by side and path, whether the file is there
	marked    map[string][]string          // by folder, files that have the mark of generated code at the base; two are enough
	own       map[*diff.File]bool          // files of the change that have it there
	searched  map[string]bool              // folders that were searched for such files
	lists     map[string]diff.VendorChange // by path, lists of packages that the change touches
	rewritten int
	changed   func(path string) bool // reports whether the change has a file of that path
}

// judgeFiles decides what kind each file is: by its content at both sides, the files that
// prove a folder to hold code of others, and what .gitattributes says at the merge base.
// The author of the change chooses names and contents, so that neither takes a file
// out of review alone; see [diff.File.Judge]. Files that git calls binary get hunks where
// they are texts. Files that models see are read first, because a source may read only
// so many. out reports whether the policy leaves a path out.
func judgeFiles(ctx context.Context, set *diff.Set, src *change.BoundedSource, out func(path string) bool) error {
	j := &fileJudge{src: src, proofs: map[string]bool{}, marked: map[string][]string{}, searched: map[string]bool{},
		lists: map[string]diff.VendorChange{}, own: map[*diff.File]bool{}}
	touched := map[string]bool{}
	for _, f := range set.Files {
		touched[f.Path], touched[f.BasePath()] = true, true
	}
	j.changed = func(path string) bool { return touched[path] }
	attributes, none := src.Blob(ctx, domain.Left, ".gitattributes")
	var later []*diff.File
	for _, f := range set.Files {
		if f.Class.Ignored() || f.Binary {
			later = append(later, f)
			continue
		}
		if err := j.file(ctx, f); err != nil {
			return err
		}
	}
	for _, f := range later {
		if err := j.file(ctx, f); err != nil {
			return err
		}
	}
	for _, f := range set.Files { // once it is known which folders have generated files
		if f.Status == diff.Deleted || len(f.Hunks) == 0 || f.Class != diff.ClassSource || !j.mayBeMarked(f) {
			continue
		}
		if err := j.beside(ctx, f); err != nil {
			return err
		}
	}
	if none == nil {
		if err := set.Apply(ctx, diff.ParseAttributes(attributes)); err != nil {
			return err
		}
	}
	for _, f := range set.Files {
		if returnsToReview(f, out) {
			j.whole(ctx, f)
		}
	}
	return ctx.Err()
}

// returnsToReview reports whether reviews left a file out under its old path, but no longer do.
func returnsToReview(f *diff.File, out func(path string) bool) bool {
	if f.OldPath == "" || f.Class.Ignored() || f.Whole || f.Omitted != "" {
		return false
	}
	return f.WasOut || out(f.OldPath) && !out(f.Path)
}

// file judges one file.
func (j *fileJudge) file(ctx context.Context, f *diff.File) error {
	switch {
	case f.Class == diff.ClassSubmodule, f.Class == diff.ClassSymlink, f.Omitted != "":
		return ctx.Err()
	case f.Binary && len(f.Hunks) == 0:
		return j.binary(ctx, f)
	}
	recode(f)
	v := j.versions(ctx, f)
	j.decide(ctx, f, v)
	if f.Becomes(v) {
		j.whole(ctx, f)
	}
	return ctx.Err()
}

// whole has all lines of a file count as new.
func (j *fileJudge) whole(ctx context.Context, f *diff.File) {
	switch head := j.text(ctx, domain.Right, f.Path); {
	case head == nil:
		f.Omitted = diff.OmittedUnreadable
	case j.rewritten+diff.Weight(head) > maxRewritten:
		f.Omitted = diff.OmittedLarge
	default:
		j.rewritten += diff.Weight(head)
		f.Rewrite(nil, head)
		f.Whole = true
	}
}

// versions reads the content that decides the class of a file. For a file that no model sees because of its
// name, the lines of the diff must do if they can, because a source may read only so many files.
func (j *fileJudge) versions(ctx context.Context, f *diff.File) diff.Versions {
	moved := f.OldPath != "" && f.OldPath != f.Path
	switch f.Class {
	case diff.ClassDocs, diff.ClassLock, diff.ClassData, diff.ClassVendored:
		part := diff.Versions{Base: visibleText(f, domain.Left), Head: visibleText(f, domain.Right), Part: true}
		switch {
		case f.Status == diff.Added:
			return diff.Versions{Head: part.Head}
		case f.Class == diff.ClassVendored && !moved && j.vendored(ctx, domain.Left, f.Path):
			return diff.Versions{}
		case moved, f.Class == diff.ClassVendored, strings.EqualFold(path.Ext(f.Path), ".svg"):
		case f.Class != diff.ClassDocs || diff.Prose(f.Path, part.Base) && diff.Prose(f.Path, part.Head):
			return part
		}
	}
	v := diff.Versions{Base: j.text(ctx, domain.Left, f.BasePath())}
	if f.Status != diff.Deleted {
		v.Head = j.text(ctx, domain.Right, f.Path)
	}
	if f.Class == diff.ClassDocs && v.Head == nil && !moved {
		return diff.Versions{Base: visibleText(f, domain.Left), Head: visibleText(f, domain.Right), Part: true}
	}
	if v.Refused = j.src.Refused(f) != ""; v.Head == nil && f.Status == diff.Added {
		v.Head = visibleText(f, domain.Right)
	}
	return v
}

// decide judges a file whose texts are known.
func (j *fileJudge) decide(ctx context.Context, f *diff.File, v diff.Versions) {
	v.VendoredBase = j.vendored(ctx, domain.Left, f.Path)
	v.VendoredHead = !v.VendoredBase && j.vendored(ctx, domain.Right, f.Path)
	if v.VendoredOld = v.VendoredBase; f.OldPath != "" {
		v.VendoredOld = j.vendored(ctx, domain.Left, f.OldPath)
	}
	v.Edited = v.VendoredBase && !slices.ContainsFunc(diff.VendorLists(f.Path), func(list string) bool { return j.names(ctx, list, f.Path) })
	f.Judge(v)
	if v.Base != nil && diff.Marked(v.Base) {
		j.mark(f.BasePath())
		j.own[f] = true
	}
}

// names reports whether a list of packages gives another version to the package of a file.
func (j *fileJudge) names(ctx context.Context, list, name string) bool {
	if !j.changed(list) {
		return false
	}
	c, known := j.lists[list]
	if !known {
		c = diff.NewVendorChange(list, j.text(ctx, domain.Left, list), j.text(ctx, domain.Right, list))
		j.lists[list] = c
	}
	return c.Names(name)
}

// mark remembers a file that has the mark of generated code at the base.
func (j *fileJudge) mark(name string) {
	if folder := path.Dir(name); len(j.marked[folder]) < 2 && !slices.Contains(j.marked[folder], name) {
		j.marked[folder] = append(j.marked[folder], name)
	}
}

// mayBeMarked reports whether the file has the mark of generated code at the base, or is new and has it.
func (j *fileJudge) mayBeMarked(f *diff.File) bool {
	if f.Status == diff.Added {
		return diff.Marked(visibleText(f, domain.Right))
	}
	return j.own[f]
}

// beside judges a file with the mark of generated code once more where another file of its folder has it.
func (j *fileJudge) beside(ctx context.Context, f *diff.File) error {
	if !j.siblings(ctx, f) {
		return ctx.Err()
	}
	v := diff.Versions{Head: visibleText(f, domain.Right)}
	if f.Status != diff.Added {
		v = j.versions(ctx, f)
	}
	v.Sibling = true
	j.decide(ctx, f, v)
	return ctx.Err()
}

// text reads a version as a text. It returns nil if there is no such text.
func (j *fileJudge) text(ctx context.Context, side domain.Side, name string) []byte {
	if name == "" {
		return nil
	}
	raw, err := j.src.Blob(ctx, side, name)
	if err != nil {
		return nil
	}
	text, ok := diff.Text(raw)
	switch {
	case !ok:
		return nil
	case text == nil:
		return []byte{} // an empty file is known
	}
	return text
}

// binary makes hunks for a file that git calls binary and that is a text. For other files it notes whether the
// change may matter to a program.
func (j *fileJudge) binary(ctx context.Context, f *diff.File) error {
	if f.Status == diff.Deleted {
		return ctx.Err()
	}
	raw, err := j.src.Blob(ctx, domain.Right, f.Path)
	before := j.text(ctx, domain.Left, f.BasePath())
	switch text, ok := diff.Text(raw); {
	case err != nil:
		if before != nil || f.Program(nil) {
			f.Note = diff.NoteNoText
		}
	case ok && j.rewritten+diff.Weight(text)+diff.Weight(before) > maxRewritten:
		f.Omitted = diff.OmittedLarge
	case ok:
		j.rewritten += diff.Weight(text) + diff.Weight(before)
		f.Rewrite(before, text)
		f.Transcoded = true
		if text == nil {
			text = []byte{}
		}
		j.decide(ctx, f, diff.Versions{Base: before, Head: text})
	case len(before) > 0:
		f.Note = diff.NoteWasText
	case f.Program(raw):
		f.Note = diff.NoteNoText
	}
	return ctx.Err()
}

// vendored reports whether the files are there that prove a path to hold code of others.
func (j *fileJudge) vendored(ctx context.Context, side domain.Side, name string) bool {
	for _, set := range diff.VendorProofs(name) {
		all := true
		for _, p := range set {
			if all = j.there(ctx, side, p); !all {
				break
			}
		}
		if all {
			return true
		}
	}
	return false
}

func (j *fileJudge) there(ctx context.Context, side domain.Side, name string) bool {
	key := string(side) + ":" + name
	is, known := j.proofs[key]
	if !known {
		_, err := j.src.Blob(ctx, side, name)
		is = err == nil || j.src.RefusedPath(name)
		j.proofs[key] = is
	}
	return is
}

// Bounds of the search for a generated file in the folder of a new one.
const (
	maxNeighbours = 100
	maxSiblings   = 10
)

// siblings reports whether another file of the folder has the mark of generated code at the base. Files
// that the change has are known; of the others the first few are read.
func (j *fileJudge) siblings(ctx context.Context, f *diff.File) bool {
	folder, ext := path.Dir(f.Path), path.Ext(f.Path)
	other := func() bool {
		return slices.ContainsFunc(j.marked[folder], func(name string) bool { return name != f.BasePath() })
	}
	lister, is := j.src.Source.(snapshot.Lister)
	if other() || !is || folder == "." || j.searched[folder+ext] {
		return other()
	}
	j.searched[folder+ext] = true
	entries, err := lister.List(ctx, folder, maxNeighbours)
	if err != nil {
		return false
	}
	read := 0
	for _, e := range entries {
		if path.Ext(e.Path) != ext || e.Mode == diff.ModeSymlink || read == maxSiblings || len(j.marked[folder]) == 2 {
			continue
		}
		if b, err := j.src.Blob(ctx, domain.Left, e.Path); err == nil {
			if read++; diff.Marked(b) {
				j.mark(e.Path)
			}
		}
	}
	return other()
}

// recode makes the lines of a file valid in UTF-8, without NUL.
func recode(f *diff.File) {
	for _, h := range f.Hunks {
		for i, l := range h.Lines {
			if text := diff.Recode(l.Text); text != l.Text {
				h.Lines[i].Text, f.Transcoded = text, true
			}
		}
	}
}

// visibleText joins the lines of one side in the hunks of a file. For an added file these are all lines.
func visibleText(f *diff.File, side domain.Side) []byte {
	var b strings.Builder
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if side == domain.Right && l.New > 0 || side == domain.Left && l.Old > 0 {
				b.WriteString(l.Text)
				b.WriteByte('\n')
			}
		}
	}
	return []byte(b.String())
}
