// Package local reviews a change of a local checkout: the working tree, the
// index or a range of commits against a base. It needs no service, no database
// and, for the deterministic checks, no key.
//
// It reads with git and writes nothing to the repository. The command line,
// formats of reports and models' endpoints do not live here.
package local

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/review/report"
)

// Options choose what is reviewed and how.
type Options struct {
	Dir string // inside a working tree; "" is the current folder
	// Base is what to compare with: a branch, tag or commit. "" means the
	// remote's default branch, else main or master, else the last commit.
	Base string
	// Range reviews commits instead of the working tree: "A..B" and "A...B"
	// both mean what B adds since it left A.
	Range  string
	Staged bool // the index against the last commit (or Base)
	// Paths limits the review to these files and folders, relative to Dir.
	Paths []string

	Policy domain.Policy // the zero value means domain.DefaultPolicy
	Rules  []engine.Rule
	Models *engine.Models // nil: deterministic checks only
	// ModelNote says why there is no model; "" means not configured.
	ModelNote string
	Checks    *check.Checker // nil: built
	Logger    *slog.Logger   // nil: silent

	// Progress receives a line that is redrawn; nil means none. Give it only a
	// terminal.
	Progress io.Writer
	// Out receives the report as Report.Format asks; nil means that the
	// caller writes it.
	Out     io.Writer
	Report  report.Options
	Version string // of the program, for reports
}

// Run reviews a change and writes the report, if Out is given. Errors say what
// to do; those of a model are the engine's.
func Run(ctx context.Context, o Options) (report.Report, error) {
	began := time.Now()
	if o.Dir == "" {
		o.Dir = "."
	}
	if o.Staged && o.Range != "" {
		return report.Report{}, errors.New("choose either staged changes or a range, not both")
	}
	g, err := newGit(ctx, o.Dir)
	if err != nil {
		return report.Report{}, err
	}
	if o.Paths, err = fromTop(ctx, o.Dir, g, o.Paths); err != nil {
		return report.Report{}, err
	}
	ch, err := pick(ctx, g, o)
	if err != nil {
		return report.Report{}, err
	}
	root, err := os.OpenRoot(g.dir)
	if err != nil {
		return report.Report{}, fmt.Errorf("open the working tree: %w", err)
	}
	defer root.Close()
	src := &source{git: g, left: ch.left, right: ch.right, root: root, cache: map[string][]byte{}}

	checks := o.Checks
	if checks == nil {
		scanner, err := check.NewScanner()
		if err != nil {
			return report.Report{}, err
		}
		checks = &check.Checker{Scanner: scanner}
	}
	if o.Policy.Profile == "" {
		o.Policy = domain.DefaultPolicy()
	}
	if o.Models == nil && o.ModelNote == "" {
		o.ModelNote = engine.NoteNotConfigured
	}
	p := newProgress(o.Progress)
	res, err := engine.New(engine.Deps{Checks: checks, Logger: o.Logger, Progress: p.show}).Review(ctx, engine.Input{
		Repository: "local", BaseSHA: ch.left, MergeBase: ch.left, HeadSHA: ch.head, Diff: ch.diff, Source: src,
		Policy: o.Policy, Rules: o.Rules, Models: o.Models, ModelNote: o.ModelNote, Full: true,
	})
	p.clear()
	if err != nil {
		return report.Report{}, err
	}
	if ch.notice != "" {
		res.Notices = append(res.Notices, ch.notice)
	}
	out := report.Report{Version: o.Version, Base: ch.base, Head: ch.name, BaseSHA: ch.left, HeadSHA: ch.head, Result: res, Duration: time.Since(began)}
	frames(ctx, &out, ch.diff, src)
	if o.Out != nil {
		if err := report.Write(o.Out, out, o.Report); err != nil {
			return out, fmt.Errorf("write the report: %w", err)
		}
	}
	return out, nil
}

// fromTop turns paths that are relative to a folder into ones from the top.
func fromTop(ctx context.Context, dir string, g *git, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	prefix, err := (&git{path: g.path, dir: dir}).text(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	out := make([]string, len(paths))
	for i, p := range paths {
		if filepath.IsAbs(p) {
			if p, err = filepath.Rel(g.dir, p); err != nil {
				return nil, fmt.Errorf("%s is not inside the working tree", paths[i])
			}
			out[i] = ":(top,literal)" + filepath.ToSlash(p)
			continue
		}
		out[i] = ":(top,literal)" + strings.TrimSuffix(prefix+filepath.ToSlash(filepath.Clean(p)), "/.")
		if out[i] == ":(top,literal)." {
			out[i] = ":(top)"
		}
	}
	return out, nil
}

// change is what a review compares.
type change struct {
	base, name string // for people
	left, head string // commits; head is "" for the working tree and the index
	right      string // as source takes it
	diff       []byte
	notice     string // what was left out
}

// pick finds out what to compare and makes the diff.
func pick(ctx context.Context, g *git, o Options) (change, error) {
	paths := append([]string{"--"}, o.Paths...)
	if o.Range != "" {
		from, to, ok := strings.Cut(strings.Replace(o.Range, "...", "..", 1), "..")
		if !ok {
			return change{}, fmt.Errorf("a range is written as A..B, for example main..HEAD")
		}
		if to == "" {
			to = "HEAD"
		}
		return commits(ctx, g, from, to, paths)
	}
	head, err := g.commit(ctx, "HEAD")
	if err != nil {
		return change{}, errors.New("the repository has no commit yet: there is nothing to compare with")
	}
	base := o.Base
	if base == "" && o.Staged {
		base = "HEAD"
	}
	if base == "" {
		base = defaultBase(ctx, g, head)
	}
	id, err := g.commit(ctx, base)
	if err != nil {
		return change{}, err
	}
	left, err := g.text(ctx, "merge-base", id, head)
	if err != nil {
		return change{}, fmt.Errorf("%s and the current commit have no common ancestor", base)
	}
	if o.Staged {
		raw, err := g.diff(ctx, append([]string{"--cached", left}, paths...)...)
		return change{base: base, name: "the index", left: left, right: ":", diff: raw}, err
	}
	raw, err := g.diff(ctx, append([]string{left}, paths...)...)
	if err != nil {
		return change{}, err
	}
	more, skipped, err := untracked(ctx, g, o.Paths)
	ch := change{base: base, name: "the working tree", left: left, diff: append(raw, more...)}
	if skipped > 0 {
		ch.notice = fmt.Sprintf("%d new files that git does not know were left out (too many, too large or not plain files): git add them to have them reviewed.", skipped)
	}
	return ch, err
}

func commits(ctx context.Context, g *git, from, to string, paths []string) (change, error) {
	a, err := g.commit(ctx, from)
	if err != nil {
		return change{}, err
	}
	b, err := g.commit(ctx, to)
	if err != nil {
		return change{}, err
	}
	left, err := g.text(ctx, "merge-base", a, b)
	if err != nil {
		return change{}, fmt.Errorf("%s and %s have no common ancestor", from, to)
	}
	raw, err := g.diff(ctx, append([]string{left, b}, paths...)...)
	return change{base: from, name: to, left: left, head: b, right: b, diff: raw}, err
}

// defaultBase is the remote's default branch, else main or master, unless that
// is what is checked out; else the last commit.
func defaultBase(ctx context.Context, g *git, head string) string {
	for _, name := range []string{"origin/HEAD", "origin/main", "origin/master", "main", "master"} {
		if id, err := g.commit(ctx, name); err == nil && id != head {
			return name
		}
	}
	return "HEAD"
}

const (
	maxUntracked     = 200
	maxUntrackedSize = 1 << 20
)

// untracked returns a diff of new files that git does not know yet and does not
// ignore, and how many were left out.
func untracked(ctx context.Context, g *git, paths []string) (raw []byte, skipped int, err error) {
	out, err := g.run(ctx, 8<<20, append([]string{"ls-files", "--others", "--exclude-standard", "-z", "--"}, paths...))
	if err != nil {
		return nil, 0, err
	}
	for i, name := range strings.Split(strings.TrimRight(string(out), "\x00"), "\x00") {
		if name == "" || strings.HasSuffix(name, "/") { // a repository of its own
			continue
		}
		if info, err := os.Lstat(filepath.Join(g.dir, filepath.FromSlash(name))); i >= maxUntracked || err != nil || !info.Mode().IsRegular() || info.Size() > maxUntrackedSize {
			skipped++
			continue
		}
		// Exit code 1 says that the files differ (git-diff, --no-index).
		part, err := g.run(ctx, maxDiff, []string{"diff", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", "--no-index", "--", os.DevNull, name}, 1)
		if err != nil {
			return nil, 0, err
		}
		raw = append(raw, part...)
	}
	return raw, skipped, nil
}

// frames reads the lines that code frames show.
func frames(ctx context.Context, r *report.Report, raw []byte, src *source) {
	r.Frames, r.OldFrames = map[string][]string{}, map[string][]string{}
	set, err := diff.Parse(raw)
	if err != nil {
		return
	}
	for _, f := range r.Result.Findings {
		into, side, path := r.Frames, domain.Right, f.Anchor.Path
		if f.Anchor.Side == domain.Left {
			into, side = r.OldFrames, domain.Left
			if file := set.File(path); file != nil {
				path = file.BasePath()
			}
		}
		if _, done := into[f.Anchor.Path]; done || path == "" || f.Anchor.StartLine == 0 {
			continue
		}
		if b, err := src.Blob(ctx, side, path); err == nil {
			into[f.Anchor.Path] = strings.Split(strings.TrimSuffix(r.Result.Redact(string(b)), "\n"), "\n")
		}
	}
}
