package check

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/sandbox"
)

// ErrUnchecked means that a text could not be searched for secrets, because the search ended the child
// process or there is no child any more. The text must not be shown.
var ErrUnchecked = errors.New("the text could not be searched for secrets within bounds")

// Limits of the child process of one review.
var limits = sandbox.Limits{
	Memory: 1 << 30,         // a diff of 64 MiB in one file takes about half
	CPU:    5 * time.Minute, // the last stop: a diff of 64 MiB takes less than two
	Wall:   2 * time.Minute, // without a message from the child, which sends one for every file
	Output: 1 << 20,         // for one message: a secret is searched for in pieces of 64 KiB
}

// restarts is how often a review gets a new child after one ended.
const restarts = 1

// Confined runs the checks of each review in a child process of its own. Its Run is [Checker.Run], and
// [Result.Close] ends the child. If a file ends the child, that file is left out and a new child checks the
// rest. If that child ends too, all files stay unchecked.
type Confined struct {
	Launcher *sandbox.Launcher
	Logger   *slog.Logger // logs why a child ended; may be nil
	// Limits replaces the limits of a child in tests; nil keeps them.
	Limits *sandbox.Limits
}

// Run implements the checks of an engine. Errors are those of [Checker.Run], and of kind [sandbox.Setup] if
// a child could not be started under its limits.
func (c *Confined) Run(ctx context.Context, set *diff.Set, src Source, opt Options) (Result, error) {
	s := &childSession{confined: c, left: restarts}
	files := set.Files
	var unchecked []string
	for {
		res, at, err := s.run(ctx, files, src, opt)
		if _, faulty := errors.AsType[*sandbox.Fault](err); !faulty {
			if err != nil {
				s.close()
				return Result{}, err
			}
			res.Unchecked, res.close = unchecked, s.close
			return res, nil
		}
		if at != nil {
			unchecked = append(unchecked, at.Path)
			files = slices.DeleteFunc(slices.Clone(files), func(f *diff.File) bool { return f.Path == at.Path })
		}
		if !s.restart(ctx, err) {
			if isSetup(err) {
				return Result{}, err
			}
			for _, f := range files {
				unchecked = append(unchecked, f.Path)
			}
			return Result{Redactor: newRedactor(s), Unchecked: unchecked}, nil
		}
	}
}

func isSetup(err error) bool {
	f, ok := errors.AsType[*sandbox.Fault](err)
	return ok && f.Cause == sandbox.Setup
}

// childSession is the child of one review. Several goroutines may call its scan; they take turns.
type childSession struct {
	confined *Confined

	mu    sync.Mutex
	child *sandbox.Child
	left  int  // restarts
	over  bool // there is no child any more
}

// start starts a child unless one runs. The caller holds mu.
func (s *childSession) start(ctx context.Context) error {
	if s.over {
		return ErrUnchecked
	}
	if s.child != nil {
		return nil
	}
	l := limits
	if s.confined.Limits != nil {
		l = *s.confined.Limits
	}
	child, err := s.confined.Launcher.Start(ctx, ChildWork, l)
	s.child = child
	return err
}

// restart records the end of a child and reports whether another one may start.
func (s *childSession) restart(ctx context.Context, why error) bool {
	if s.confined.Logger != nil {
		s.confined.Logger.WarnContext(ctx, "the child process of a review ended before its work was done", "error", why, "restarts_left", s.left)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.child != nil {
		s.child.Close()
		s.child = nil
	}
	if s.left--; s.left < 0 || isSetup(why) {
		s.over = true
	}
	return !s.over
}

// close ends the child for good.
func (s *childSession) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	if s.child != nil {
		s.child.Close()
		s.child = nil
	}
}

// run lets the child check files. If the child ends, at is the file that it was checking, nil if it had not
// begun.
func (s *childSession) run(ctx context.Context, files []*diff.File, src Source, opt Options) (res Result, at *diff.File, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(files) == 0 {
		return Result{Redactor: newRedactor(s)}, nil, nil
	}
	if err := s.start(ctx); err != nil {
		return Result{}, nil, err
	}
	if err := s.child.Within(ctx, func(c *sandbox.Conn) error {
		err := c.Send(childRequest{Files: len(files), Options: opt})
		for _, f := range files {
			err = errors.Join(err, c.Send(f))
		}
		return err
	}); err != nil {
		return Result{}, nil, err
	}
	for l := listen(s.child, len(files)); ; {
		var w childMessage
		if err := s.child.Within(ctx, func(c *sandbox.Conn) error { return c.Receive(&w) }); err != nil {
			return Result{}, at, err
		}
		over, err := l.receive(w)
		switch {
		case err != nil:
			return Result{}, at, err
		case over:
			r := newRedactor(s)
			for value, mark := range l.Values {
				r.put(value, mark)
			}
			r.build()
			return Result{Findings: l.Findings, Redactor: r, Cut: l.Cut, Unread: l.Unread, Withheld: l.Withheld,
				Unmatched: l.Unmatched, Switches: l.Switches}, nil, nil
		case w.Needs != nil:
			if err := s.sendContent(ctx, src, *w.Needs); err != nil {
				return Result{}, at, err
			}
		case w.Looking > 0 && w.Looking <= len(files):
			at = files[w.Looking-1]
		}
	}
}

// sendContent answers a child that needs a file.
func (s *childSession) sendContent(ctx context.Context, src Source, n fileRequest) error {
	got := fileContent{Absent: true}
	if src != nil {
		b, err := src.Blob(ctx, n.Side, n.Path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		got = fileContent{Bytes: b, Absent: err != nil}
	}
	return s.child.Within(ctx, func(c *sandbox.Conn) error { return c.Send(got) })
}

// scan implements finder in the child.
func (s *childSession) scan(ctx context.Context, path, text string) ([]Secret, error) {
	answer, err := s.search(ctx, path, text)
	if _, faulty := errors.AsType[*sandbox.Fault](err); faulty {
		s.restart(ctx, err)
		return nil, ErrUnchecked
	}
	if err != nil {
		return nil, err
	}
	var out []Secret
	for _, p := range answer.Secrets {
		out = append(out, Secret{RuleID: p.RuleID, First: p.First, Last: p.Last, Start: p.Start, End: p.End, value: string(p.Value)})
	}
	return out, nil
}

func (s *childSession) search(ctx context.Context, path, text string) (*childResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	if err := s.child.Within(ctx, func(c *sandbox.Conn) error { return c.Send(childRequest{Path: path, Text: []byte(text)}) }); err != nil {
		return nil, err
	}
	for l := listen(s.child, 1); ; {
		var w childMessage
		if err := s.child.Within(ctx, func(c *sandbox.Conn) error { return c.Receive(&w) }); err != nil {
			return nil, err
		}
		if over, err := l.receive(w); err != nil || over {
			return &l.childResult, err
		}
	}
}
