package engine

import (
	"context"
	"path"
	"strings"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
)

// maxRewritten bounds the texts of which one review makes hunks itself, because git
// shows none for files that it calls binary.
const maxRewritten = 16 << 20

// textSource reads files as texts: in UTF-8, with NUL made visible. What is no text
// is given as it is.
type textSource struct{ Source }

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
	src       *boundedSource
	proofs    map[string]bool // by side and path, whether the file is there
	marked    map[string]bool // folders in which a file has the mark of generated code at the base
	rewritten int
}

// judgeFiles decides what kind each file is: by its content at both sides, the files that
// prove a folder to hold code of others, and what .gitattributes says at the merge base.
// The author of the change chooses names and contents, so that neither takes a file
// out of review alone; see [diff.File.Judge]. Files that git calls binary get hunks where
// they are texts. Files that models see are read first, because a source may read only
// so many.
func judgeFiles(ctx context.Context, set *diff.Set, src *boundedSource) error {
	j := &fileJudge{src: src, proofs: map[string]bool{}, marked: map[string]bool{}}
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
		if f.Status == diff.Added && len(f.Hunks) > 0 && j.marked[path.Dir(f.Path)] && f.Class == diff.ClassSource {
			f.Judge(diff.Versions{Head: shown(f, domain.Right), Sibling: true})
		}
	}
	if none != nil { // as most repositories
		return ctx.Err()
	}
	return set.Apply(ctx, diff.ParseAttributes(attributes))
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
	v := diff.Versions{Base: j.text(ctx, domain.Left, f.BasePath())}
	if f.Status != diff.Deleted {
		v.Head = j.text(ctx, domain.Right, f.Path)
	}
	if v.Refused = j.src.refused(f) != ""; f.Status == diff.Added && v.Head == nil || v.Head == nil && lines(f) {
		v.Head = shown(f, domain.Right)
	}
	j.decide(ctx, f, v)
	return ctx.Err()
}

// lines reports whether any lines of a file show whether it has the form of its name.
func lines(f *diff.File) bool { return f.Class == diff.ClassLock || f.Class == diff.ClassData }

// decide judges a file whose texts are known.
func (j *fileJudge) decide(ctx context.Context, f *diff.File, v diff.Versions) {
	v.VendoredBase = j.vendored(ctx, domain.Left, f.Path)
	v.VendoredHead = !v.VendoredBase && j.vendored(ctx, domain.Right, f.Path)
	if v.VendoredOld = v.VendoredBase; f.OldPath != "" {
		v.VendoredOld = j.vendored(ctx, domain.Left, f.OldPath)
	}
	f.Judge(v)
	if v.Base != nil && diff.Marked(v.Base) {
		j.marked[path.Dir(f.Path)] = true
	}
}

// text reads a version as a text, nil where there is none.
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

// binary makes hunks for a file that git calls binary and that is a text, and says of any
// other whether its change may matter to a program.
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
	case ok && j.rewritten+len(text)+len(before) > maxRewritten:
		f.Omitted = diff.OmittedLarge
	case ok:
		j.rewritten += len(text) + len(before)
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
		is = err == nil || j.src.refusedPath(name)
		j.proofs[key] = is
	}
	return is
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

// shown joins what the hunks of a file show of one side; of an added file that is all.
func shown(f *diff.File, side domain.Side) []byte {
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
