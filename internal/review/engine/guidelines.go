package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/guideline"
	"github.com/assay-dev/assay/internal/wording"
)

// Guidelines are where the guideline files of a repository are read.
type Guidelines struct {
	Tree guideline.Tree // the version of the target branch; nil: it cannot be read, and the review says so
	Kept GuidelineStore // nil: nothing is kept
}

// GuidelineStore keeps which sentences of a file a model has picked, by the hash of
// its text and of the prompt, so that no review pays for them again. Both methods
// are called from several goroutines at once. Failing to load or to save costs
// money, never correctness: the engine logs the error and goes on.
type GuidelineStore interface {
	Load(ctx context.Context, hash string) (sentences []string, found bool, err error)
	Save(ctx context.Context, hash string, sentences []string) error
}

// GuidelineFile is a file whose sentences are known.
type GuidelineFile struct {
	Path      string
	Scope     guideline.Scope
	Sentences []string
}

// GuidelinesSeen is what a review has learned of the guideline files.
type GuidelinesSeen struct {
	Files                     []GuidelineFile // whose sentences are known
	Folders, Present, Nothing []string        // see [guideline.Found]
	Listed                    bool            // as above
}

// picked is a sentence as a model gives it.
type picked struct {
	Text string `json:"text"`
}

func guidelineSchema() json.RawMessage {
	return ask.JSON(ask.Object(ask.Schema{"sentences": ask.Array(ask.Object(ask.Schema{"text": ask.String}))}))
}

func guidelineSystem(g ask.Guard) string {
	return ask.SystemText("guidelines", textOf("guidelines"), g)
}

// guidelineHash names what a model is told for this stage alone: other prompts may
// change, and what is kept still counts.
var guidelineHash = sync.OnceValue(func() string {
	return ask.Hash(promptForm, []ask.Text{{Text: textOf("guidelines")}, {Text: ask.PromptText("safety")}}, guidelineSchema())
})

// guidelines adds the sentences of the guideline files that concern what a model is
// to look at to the rules, behind all others. Where they cannot be had the review
// goes on without them and says so. The error is the context's, or that of an effort
// that the provider rejects.
func (w *work) guidelines(ctx context.Context) error {
	g := w.in.Guidelines
	route, ok := w.in.Models.Pick(ask.TierFast)
	if g == nil || !ok {
		return nil
	}
	if g.Tree == nil {
		w.notice(wording.NoticeGuidelinesBase)
		return nil
	}
	found, err := guideline.Read(ctx, g.Tree, w.selected(), w.visible)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		w.deps.Logger.WarnContext(ctx, "guideline files not read", slog.Any("error", err))
		w.notice(wording.NoticeGuidelinesBase)
		return nil
	}
	w.notice(wording.NoticeGuidelinesUnread, found.Unread...)
	w.notice(wording.NoticeGuidelinesCut, found.Cut...)
	files, silent, err := w.sentences(ctx, route, g.Kept, found.Files)
	w.notice(wording.NoticeGuidelinesSilent, silent...)
	w.result.Guidelines = &GuidelinesSeen{Files: files, Folders: found.Folders, Present: found.Present, Nothing: found.Nothing,
		Listed: found.Listed}
	w.rules = append(w.rules, applicable(guidelineRules(files), w.set)...)
	return err
}

// steers returns the test for files that guide reviewers: those that reviewers commonly read, and all
// guideline files if guidelines are read.
func (in Input) steers() func(path string) bool {
	return func(path string) bool {
		return diff.Instructions(path) || in.Guidelines != nil && guideline.Is(path)
	}
}

// selected are the paths of the files that a model is to look at.
func (w *work) selected() (out []string) {
	for _, t := range w.plan.model {
		out = append(out, t.File.Path)
	}
	return out
}

// visible is a text without secrets and without what people do not see.
func (w *work) visible(ctx context.Context, path string, text []byte) ([]byte, error) {
	clean, err := w.redacted.Redactor.Clean(ctx, path, text)
	return []byte(change.TidyProse(string(clean))), err
}

// notice adds a sentence about files to the summary; none where no file is named but
// the sentence is about files.
func (w *work) notice(k wording.Key, files ...string) {
	if len(files) == 0 && k != wording.NoticeGuidelinesBase {
		return
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = change.CleanPath(f)
	}
	if n := len(names) - maxNamed; n > 0 {
		names = append(names[:maxNamed], fmt.Sprintf("%d more", n))
	}
	w.result.Notices = append(w.result.Notices, wording.English(k, strings.Join(names, ", ")))
}

// sentences returns the sentences of files: the kept ones, or those that the fast model picks. silent holds
// the paths of files without an answer.
func (w *work) sentences(ctx context.Context, r ask.Route, kept GuidelineStore,
	files []guideline.File) (out []GuidelineFile, silent []string, err error) {
	r.MaxOutputTokens /= 2 // forty sentences, and room for what a model reasons
	w.ReportProgress("guidelines", 0, len(files))
	lists, failures := make([][]string, len(files)), make([]error, len(files))
	var group errgroup.Group
	group.SetLimit(ask.ParallelCalls)
	for i, f := range files {
		group.Go(func() error {
			failures[i] = ask.Contained(func() (err error) {
				lists[i], err = w.sentencesOf(ctx, r, kept, f)
				return err
			})
			return nil
		})
	}
	_ = group.Wait()
	for i, f := range files {
		switch {
		case ask.IsEffortRefused(failures[i]) || ctx.Err() != nil:
			return nil, nil, fmt.Errorf("guidelines: %w", cmp.Or(ctx.Err(), failures[i]))
		case failures[i] != nil:
			w.deps.Logger.WarnContext(ctx, "a guideline file is not held against the change", slog.String("path", f.Path),
				slog.Any("error", failures[i]))
			silent = append(silent, f.Path)
		default:
			out = append(out, GuidelineFile{Path: f.Path, Scope: f.Scope, Sentences: lists[i]})
		}
	}
	return out, silent, nil
}

// sentencesOf returns the sentences of one file. Kept sentences are checked again, because the checks may be
// stricter now.
func (w *work) sentencesOf(ctx context.Context, r ask.Route, kept GuidelineStore, f guideline.File) ([]string, error) {
	hash := f.Hash(guidelineHash())
	if kept != nil {
		sentences, found, err := kept.Load(ctx, hash)
		if err != nil {
			w.deps.Logger.WarnContext(ctx, "load sentences of a guideline file", slog.Any("error", err))
		}
		if found {
			sentences, _ = f.Accept(sentences)
			return sentences, ctx.Err()
		}
	}
	messages := []llm.Message{{Role: llm.User, Text: w.Guard.Wrap("file "+change.CleanPath(f.Path), f.Text)}}
	ans, err := w.Ask(ctx, "guidelines", r, guidelineSystem(w.Guard), messages, guidelineSchema())
	if err != nil {
		return nil, err
	}
	given, err := ask.ReadPart[picked](ans, "sentences")
	if err != nil {
		return nil, err
	}
	sentences := make([]string, len(given.Items))
	for i, g := range given.Items {
		sentences[i] = g.Text
	}
	sentences, dropped := f.Accept(sentences)
	if dropped+given.Bad > 0 {
		w.deps.Logger.InfoContext(ctx, "sentences of a guideline file were not taken", slog.String("path", f.Path),
			slog.Int("taken", len(sentences)), slog.Int("dropped", dropped+given.Bad))
	}
	if kept != nil && !ans.Broken && !given.Cut {
		if err := kept.Save(context.WithoutCancel(ctx), hash, sentences); err != nil {
			w.deps.Logger.WarnContext(ctx, "save sentences of a guideline file", slog.Any("error", err))
		}
	}
	return sentences, nil
}

// guidelineRules makes rules of sentences, those of nearer folders first; one that
// two files have for the same code is one.
func guidelineRules(files []GuidelineFile) (out []Rule) {
	files = slices.Clone(files)
	slices.SortStableFunc(files, func(a, b GuidelineFile) int { return strings.Count(b.Path, "/") - strings.Count(a.Path, "/") })
	seen := map[string]bool{}
	for _, f := range files {
		for _, sentence := range f.Sentences {
			key := fmt.Sprint(change.StripSpace(sentence), f.Scope)
			if seen[key] {
				continue
			}
			seen[key] = true
			out = append(out, Rule{ID: f.Scope.ID(f.Path, sentence), Title: f.Path, Instruction: sentence, File: f.Path,
				Paths: f.Scope.Paths, Except: f.Scope.Except, Severity: domain.GuidelineSeverity})
		}
	}
	return out
}
