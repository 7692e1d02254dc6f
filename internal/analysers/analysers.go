// Package analysers runs static analysers of other makers as programs: linters and scanners that the operator
// names in the configuration of the process. Each runs in the sandbox of package sandbox, over copies of the
// changed files, without network, environment or configuration files of the repository.
//
// Nothing of a change is executed. The paths of files are the only text of a change that reaches a command line, and a browser
// sends no text there. Results leave this package as SARIF; their meaning for a change lives in package sast.
package analysers

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/glob"
	"github.com/assay-dev/assay/internal/sandbox"
	"github.com/assay-dev/assay/internal/sarif"
)

// Bounds of analysers (design choices).
const (
	maxAnalysers = 20              // of one process
	maxFiles     = 2000            // that one analyser gets
	maxFile      = 2 << 20         // bytes of one file
	maxTree      = 128 << 20       // bytes of all files of one analyser
	maxPath      = 1000            // bytes of a path
	maxPaths     = 512 << 10       // bytes of all paths of one command line
	maxOutput    = 32 << 20        // bytes that an analyser may write
	allTime      = 5 * time.Minute // of all analysers of one review
	scratch      = 64 << 20        // bytes of the temporary folder of an analyser
)

// Reason is why an analyser did not look at a change, or not at all of it.
type Reason string

// The reasons.
const (
	Absent    Reason = "absent"    // the operator has not configured it
	NoProgram Reason = "program"   // the program cannot be started
	Version   Reason = "version"   // the program has another version
	Sandbox   Reason = "sandbox"   // the system offers no sandbox for programs
	Time      Reason = "time"      // a limit of time ended it
	Memory    Reason = "memory"    // the limit of memory ended it
	Output    Reason = "output"    // it wrote more than 32 MiB
	Exit      Reason = "exit code" // its exit code says that it failed
	Report    Reason = "report"    // its report cannot be read
	Crash     Reason = "crash"
	NoTree    Reason = "no tree"                        // the code is not read from git, as with a diff alone
	TreeFiles Reason = "more than 20,000 files"         // of the tree
	TreeBytes Reason = "more than 256 MiB"              // of the tree
	TreeDepth Reason = "more than 40 levels of folders" // of the tree
)

// Words returns the reason as a clause about the analyser, for people.
func (r Reason) Words() string {
	switch r {
	case Absent:
		return "the operator has not set the analyser up"
	case NoProgram:
		return "its program is missing, or does not start"
	case Version:
		return "its program has another version than the operator wants"
	case Sandbox:
		return "the system offers no sandbox for programs"
	case Time:
		return "its program took longer than its limit"
	case Memory:
		return "its program needed more memory than its limit"
	case Output:
		return "its program reported more than assay reads"
	case Exit:
		return "the exit code of its program says that it failed"
	case Report:
		return "the report of its program cannot be read"
	case Crash:
		return "its program crashed"
	case NoTree:
		return "it needs the whole tree, which a review of a diff alone does not have"
	}
	return "it needs the whole tree, which has " + string(r) // TreeFiles, TreeBytes and TreeDepth name a bound
}

// Analyser is a program as the operator has configured it.
type Analyser struct {
	Name    string   // the name by which tenants switch it on
	Path    string   // of the program
	Version string   // that it must have, or the first parts of that; "" for any
	Rules   string   // a file or folder of rules; "" if it needs none, or has ours
	Folders []string // further folders that it may read
	Input   Input    // what it gets; "" is [InputFiles]
	Profile
}

// wants reports whether the analyser understands a file.
func (a Analyser) wants(f File) bool {
	return slices.Contains(a.Languages, f.Language) || glob.Any(a.Paths, f.Path)
}

// File is a changed file of a head.
type File struct {
	Path     string // within the repository, with slashes
	Language string // name of [diff.Language]; "" if unknown
}

// Request is the work of one review.
type Request struct {
	Names []string // of the analysers that the policy switches on
	Files []File
	// Read returns the content of a file. It returns fs.ErrNotExist if the file cannot be read within bounds.
	Read func(ctx context.Context, path string) ([]byte, error)
	// Off reports whether an analyser is off for a file; nil: no analyser is.
	Off  func(name, path string) bool
	Tree *Tree // nil: the files that did not change cannot be read
}

func (q Request) isOff(name, path string) bool { return q.Off != nil && q.Off(name, path) }

// Outcome is the end of one analyser.
type Outcome struct {
	Name     string        `json:"name"`
	Version  string        `json:"version,omitempty"` // as the program reports it
	Grade    string        `json:"grade,omitempty"`   // the parts of the sandbox in force
	Duration time.Duration `json:"duration"`
	Files    []string      `json:"files,omitempty"`   // that it got
	Left     []LeftOut     `json:"left,omitempty"`    // files of its languages that it did not get
	Foreign  int           `json:"foreign,omitempty"` // results for files that it did not get, which are dropped
	Off      []string      `json:"off,omitempty"`     // files of its languages for which it is off
	Failure  Reason        `json:"failure,omitempty"` // "" if it ended well
	Code     int           `json:"code,omitempty"`    // the exit code, if Failure is [Exit]
	// Document has no runs if the report is missing. After a failure its runs are not successful.
	Document sarif.Document `json:"-"`
}

// Reported reports whether the analyser has left results, if only for a part of its files.
func (o Outcome) Reported() bool { return o.Failure == "" || len(o.Document.Runs) > 0 }

// LeftOut is a file that an analyser did not get.
type LeftOut struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Runner runs the analysers of a process. It is safe for concurrent use.
type Runner struct {
	Launcher  *sandbox.Launcher
	Analysers []Analyser
	Logger    *slog.Logger

	mu       sync.Mutex
	versions map[string]string // by path, size and time of change of the program
	swept    sync.Once

	matching sync.Mutex // guards the two below, and is held while ast-grep is asked
	asked    time.Time  // when ast-grep was asked last
	cannot   Reason     // its answer

	maxHits int // of one request for patterns; [maxPatternHits] if 0
}

// Names returns the names of the configured analysers.
func (r *Runner) Names() (out []string) {
	if r != nil {
		for _, a := range r.Analysers {
			out = append(out, a.Name)
		}
	}
	return out
}

// Run runs the requested analysers one after another. Failures of analysers are part of the outcomes. It returns the error
// that the context has, and any error of Read but fs.ErrNotExist.
func (r *Runner) Run(ctx context.Context, q Request) ([]Outcome, error) {
	var out []Outcome
	began := time.Now()
	if r != nil {
		r.swept.Do(func() { sweep(os.TempDir(), began) })
	}
	for _, name := range q.Names {
		a, ok := r.named(name)
		var files []File
		var off []string
		for _, f := range q.Files {
			switch {
			case !a.wants(f):
			case q.isOff(name, f.Path):
				off = append(off, f.Path)
			default:
				files = append(files, f)
			}
		}
		switch {
		case !ok:
			out = append(out, Outcome{Name: name, Failure: Absent})
			continue
		case len(files) == 0 && len(off) > 0:
			out = append(out, Outcome{Name: name, Off: off})
			continue
		case len(files) == 0:
			continue
		}
		left := allTime - time.Since(began)
		if left < time.Second {
			out = append(out, Outcome{Name: name, Off: off, Failure: Time})
			continue
		}
		a.Time = min(a.Time, left)
		o, err := r.analyse(ctx, a, files, q)
		if err != nil {
			return nil, err
		}
		o.Off = off
		out = append(out, o)
	}
	return out, nil
}

func (r *Runner) named(name string) (Analyser, bool) {
	if r == nil {
		return Analyser{}, false
	}
	i := slices.IndexFunc(r.Analysers, func(a Analyser) bool { return a.Name == name })
	if i < 0 {
		return Analyser{}, false
	}
	return r.Analysers[i], true
}
