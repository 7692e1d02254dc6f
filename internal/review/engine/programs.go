package engine

import (
	"context"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/sast"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/wording"
)

// Analysers run the analysers that the operator has configured as programs; see [analysers.Runner].
type Analysers interface {
	Run(ctx context.Context, q analysers.Request) ([]analysers.Outcome, error)
	check.CodeMatcher
}

// noAnalysers are the analysers of an engine that got none. Each that a policy names is absent.
type noAnalysers struct{}

// Run implements [Analysers].
func (noAnalysers) Run(_ context.Context, q analysers.Request) (out []analysers.Outcome, err error) {
	for _, name := range q.Names {
		out = append(out, analysers.Outcome{Name: name, Failure: analysers.Absent})
	}
	return out, nil
}

// Match implements [check.CodeMatcher]. Every pattern lacks ast-grep.
func (noAnalysers) Match(_ context.Context, q analysers.PatternRequest) (analysers.PatternOutcome, error) {
	return analysers.PatternOutcome{Failures: slices.Repeat([]analysers.Reason{analysers.Absent}, len(q.Patterns))}, nil
}

// analysers returns the analysers of the process.
func (w *work) analysers() Analysers {
	if w.deps.Analysers == nil {
		return noAnalysers{}
	}
	return w.deps.Analysers
}

// runPrograms runs the analysers that the policy names over the changed files, and returns the documents of those that
// ended well.
func (w *work) runPrograms(ctx context.Context, set *diff.Set) (out []sast.Input, err error) {
	names := w.in.Policy.Deterministic.Analysers
	if len(names) == 0 || !w.in.programs {
		return nil, nil
	}
	q := analysers.Request{Names: names}
	for _, f := range set.Files {
		if readByPrograms(f) && change.Excluded(f, w.in.Policy) == "" {
			q.Files = append(q.Files, analysers.File{Path: f.Path, Language: f.Language})
		}
	}
	q.Read = func(ctx context.Context, path string) ([]byte, error) {
		b, err := w.in.Source.Blob(ctx, domain.Right, path)
		if err != nil {
			return nil, err
		}
		return check.WithoutNewSwitches(set.File(path), b), nil
	}
	q.Off = func(name, path string) bool { return change.AnalyserOff(name, path, w.in.Policy) }
	q.Tree = w.wholeTree(set, q.Files)
	stop := w.repeatProgress("check", len(set.Files))
	w.programs, err = w.analysers().Run(ctx, q)
	stop()
	if err != nil {
		return nil, fmt.Errorf("analysers: %w", err)
	}
	for _, o := range w.programs {
		if o.Reported() && len(o.Document.Runs) > 0 {
			out = append(out, sast.Input{Source: sast.SourceProgram, Name: o.Name, Document: o.Document})
		}
	}
	return out, nil
}

// wholeTree returns the head for analysers of the whole tree, nil if the source has no list of its files. The files do not count
// towards the bytes that the review reads, because package analysers bounds them.
func (w *work) wholeTree(set *diff.Set, read []analysers.File) *analysers.Tree {
	src, _ := w.in.Source.(textSource)
	bounds, _ := src.Source.(*change.BoundedSource)
	if bounds == nil {
		return nil
	}
	walker, ok := bounds.Source.(snapshot.Walker)
	if !ok {
		return nil
	}
	t := &analysers.Tree{Hidden: map[string]bool{}}
	for _, f := range set.Files {
		t.Hidden[f.Path] = !slices.ContainsFunc(read, func(r analysers.File) bool { return r.Path == f.Path })
	}
	t.Files = func(ctx context.Context, limit int) (out []analysers.TreeFile, err error) {
		all, err := walker.AllFiles(ctx, limit)
		for _, e := range all {
			if e.Mode != diff.ModeSymlink && e.Mode != diff.ModeSubmodule {
				out = append(out, analysers.TreeFile{Path: e.Path, Size: e.Size})
			}
		}
		return out, err
	}
	t.Read = func(ctx context.Context, path string) ([]byte, error) {
		b, err := bounds.Source.Blob(ctx, domain.Right, path)
		if errs.Is(err, errs.TooLarge) {
			return nil, fs.ErrNotExist
		}
		return check.WithoutNewSwitches(set.File(path), b), err
	}
	return t
}

// repeatEvery is how often the progress is reported while analysers run (a design choice).
const repeatEvery = 2 * time.Second

// repeatProgress reports the progress of a stage again and again until the caller stops it. Its receiver learns only with a
// report that the run was ended from outside. The caller must report nothing else meanwhile.
func (w *work) repeatProgress(stage string, total int) (stop func()) {
	w.ReportProgress(stage, 0, total)
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(repeatEvery)
		defer ticker.Stop()
		for {
			select {
			case <-over:
				return
			case <-ticker.C:
				w.ReportProgress(stage, 0, total)
			}
		}
	}()
	return func() {
		close(over)
		<-ended
	}
}

// readByPrograms reports whether analysers get a file: it has text at the head, and people wrote it.
func readByPrograms(f *diff.File) bool {
	return f.Status != diff.Deleted && !f.Binary && f.Omitted == "" && len(f.Hunks) > 0 && f.Class != diff.ClassSymlink &&
		f.Class != diff.ClassSubmodule && f.Class != diff.ClassVendored && f.Class != diff.ClassGenerated && f.Class != diff.ClassMinified
}

// noteForeign counts the results for files that an analyser did not get.
func (w *work) noteForeign() {
	for _, o := range w.programs {
		if o.Foreign > 0 {
			w.analysed.LeftOut = append(w.analysed.LeftOut, sast.Note{Analyser: o.Name, Why: foreignResult, Unit: sast.UnitResults,
				Count: o.Foreign})
		}
	}
}

// The reasons of notes about programs, as texts for people.
const (
	foreignResult   = "the result is about a file that the analyser did not get"
	switchedOffFile = ".assay.yaml switches the analyser off for the file"
	withheldFile    = "the analyser did not get the file"
)

// noteOff names the analysers that the repository's file switches off for files of the change.
func (w *work) noteOff() {
	var without []string
	for _, o := range w.programs {
		if len(o.Off) == 0 {
			continue
		}
		if len(o.Files) == 0 && o.Failure == "" {
			without = append(without, o.Name)
		}
		n := sast.Note{Analyser: o.Name, Why: switchedOffFile, Unit: sast.UnitFiles, Count: len(o.Off)}
		for _, p := range o.Off[:min(len(o.Off), maxNamed)] {
			n.Examples = append(n.Examples, change.OneLine(change.CleanPath(p)))
		}
		w.result.AnalysesLeft = append(w.result.AnalysesLeft, n)
	}
	if len(without) > 0 {
		w.note(wording.English(wording.NoticeProgramOff, strings.Join(without, ", ")))
	}
}

// programNotices are the sentences about analysers that did not look at the change, by their reasons.
var programNotices = []struct {
	notice  wording.Key
	reasons []analysers.Reason
}{
	{wording.NoticeProgramAbsent, []analysers.Reason{analysers.Absent}},
	{wording.NoticeProgramSandbox, []analysers.Reason{analysers.Sandbox}},
	{wording.NoticeProgramVersion, []analysers.Reason{analysers.NoProgram, analysers.Version}},
	{wording.NoticeProgramTime, []analysers.Reason{analysers.Time}},
	{wording.NoticeProgramMemory, []analysers.Reason{analysers.Memory}},
	{wording.NoticeProgramLimit, []analysers.Reason{analysers.Output}},
	{wording.NoticeProgramTree, []analysers.Reason{analysers.NoTree, analysers.TreeFiles, analysers.TreeBytes, analysers.TreeDepth}},
	{wording.NoticeProgramFailed, []analysers.Reason{analysers.Exit, analysers.Crash}},
	{wording.NoticeProgramReport, []analysers.Reason{analysers.Report}},
}

// notePrograms names the analysers that did not look at the change, and the files that they did not get.
func (w *work) notePrograms() {
	for _, of := range programNotices {
		var names []string
		for _, o := range w.programs {
			if !slices.Contains(of.reasons, o.Failure) || o.Reported() {
				continue // the notes of its results name the failure
			}
			detail := o.Name
			switch {
			case o.Failure == analysers.Exit:
				detail += fmt.Sprintf(" (exit code %d)", o.Code)
			case of.notice == wording.NoticeProgramTree && o.Failure != analysers.NoTree:
				detail += fmt.Sprintf(" (%s)", o.Failure)
			}
			names = append(names, detail)
			w.result.Analyses = append(w.result.Analyses, sast.Analysis{Source: sast.SourceProgram, Name: o.Name, Version: o.Version,
				DurationMS: o.Duration.Milliseconds(), Failed: true})
			w.result.AnalysesLeft = append(w.result.AnalysesLeft, sast.Note{Analyser: o.Name, Why: o.Failure.Words(),
				Unit: sast.UnitAnalysers, Count: 1})
		}
		if len(names) > 0 {
			w.note(wording.English(of.notice, strings.Join(names, ", ")))
		}
	}
	w.noteOff()
	files := map[string]bool{}
	var names []string
	for _, o := range w.programs {
		if len(o.Left) == 0 {
			continue
		}
		names = append(names, o.Name)
		n := sast.Note{Analyser: o.Name, Why: withheldFile, Unit: sast.UnitFiles, Count: len(o.Left)}
		for _, l := range o.Left {
			files[l.Path] = true
			if len(n.Examples) < maxNamed {
				n.Examples = append(n.Examples, change.OneLine(change.CleanPath(l.Path))+": "+l.Why)
			}
		}
		w.result.AnalysesLeft = append(w.result.AnalysesLeft, n)
	}
	if len(files) > 0 {
		w.note(wording.English(wording.NoticeProgramFiles, len(files), strings.Join(names, ", ")))
	}
}
