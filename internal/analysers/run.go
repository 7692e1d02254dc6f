package analysers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/sandbox"
)

// environment is the environment of every analyser. Its home is the temporary folder.
var environment = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/tmp", "TMPDIR=/tmp", "LC_ALL=C.UTF-8", "NO_COLOR=1"}

// openFiles is the maximum number of open files of an analyser.
const openFiles = 1024

// analyse runs one analyser. The errors are those of [Runner.Run].
func (r *Runner) analyse(ctx context.Context, a Analyser, files []File, q Request) (out Outcome, err error) {
	began := time.Now()
	out = Outcome{Name: a.Name}
	defer func() { out.Duration = time.Since(began) }()
	found, err := r.find(ctx, &a)
	out.Version, out.Grade, out.Failure = found.version, found.grade.String(), found.failure
	if err != nil || found.failure != "" {
		return out, err
	}
	w, err := newWorkspace(ctx, a, files, q)
	if err != nil {
		return out, err
	}
	defer w.close()
	out.Files, out.Left, out.Failure = w.given, w.left, w.failure
	if out.Failure != "" {
		r.log(ctx, a, "error", "the tree: "+string(out.Failure))
		return out, nil
	}
	if len(w.given) == 0 {
		return out, nil
	}
	p := a.program(w.command(a.Command))
	p.Dir, p.ReadOnly = w.tree, append(p.ReadOnly, w.folder)
	ended, err := r.Launcher.Run(ctx, p)
	out.Grade = ended.Grade.String()
	if err != nil {
		out.Failure, err = r.failure(ctx, a, err)
		return out, err
	}
	if ended.Code != 0 && !slices.Contains(a.Codes, ended.Code) {
		r.log(ctx, a, "error", fmt.Sprintf("exit code %d", ended.Code))
		out.Failure, out.Code = Exit, ended.Code
	}
	doc, err := r.read(ctx, a.Format, ended.Stdout)
	if err != nil {
		if ctx.Err() != nil {
			return out, context.Cause(ctx)
		}
		r.log(ctx, a, "error", err)
		out.Failure = cmp.Or(out.Failure, Report)
		return out, nil
	}
	if out.Failure != "" { // one file can make a program fail, but its results for the others count
		for i := range doc.Runs {
			doc.Runs[i].Successful = false
			doc.Runs[i].Notes = append(doc.Runs[i].Notes, fmt.Sprintf("exit code %d", out.Code))
		}
	}
	if a.OwnRules && a.Rules == "" {
		if err := describeOwnRules(&doc); err != nil {
			return out, err
		}
	}
	out.Foreign = belong(&doc, w)
	if a.Place != nil {
		a.Place(&doc, w)
	}
	for i := range doc.Runs {
		run := &doc.Runs[i]
		run.Version, run.Duration = cmp.Or(run.Version, out.Version), cmp.Or(run.Duration, time.Since(began))
	}
	out.Document = doc
	return out, nil
}

// program returns the program with its limits, without files.
func (a Analyser) program(words []string) sandbox.Program {
	readOnly := append([]string{filepath.Dir(a.Path)}, a.Folders...)
	if a.Rules != "" {
		readOnly = append(readOnly, a.Rules)
	}
	return sandbox.Program{Path: a.Path, Args: words, Env: slices.Concat(environment, a.Env), Dir: "/", ReadOnly: readOnly,
		Processes: a.Processes, Scratch: scratch,
		Limits: sandbox.Limits{Memory: a.Memory, AddressSpace: addressSpace(a.Memory), CPU: a.Time + time.Second, FileSize: scratch,
			Files: openFiles, Wall: a.Time, Output: maxOutput}}
}

// addressSpace returns the limit of address space for a limit of memory. Runtimes reserve several times the memory that
// they use.
func addressSpace(memory int64) int64 { return 4*memory + 4<<30 }

// failure returns the reason of an error of the sandbox. The error is that of the context.
func (r *Runner) failure(ctx context.Context, a Analyser, err error) (Reason, error) {
	fault, ok := errors.AsType[*sandbox.Fault](err)
	if !ok {
		if ctx.Err() != nil {
			return "", context.Cause(ctx)
		}
		r.log(ctx, a, "error", err)
		return Crash, nil
	}
	r.log(ctx, a, "error", fault)
	switch fault.Cause {
	case sandbox.Wall, sandbox.CPU:
		return Time, nil
	case sandbox.Memory:
		return Memory, nil
	case sandbox.Output:
		return Output, nil
	case sandbox.Setup:
		return Sandbox, nil
	}
	return Crash, nil
}

func (r *Runner) log(ctx context.Context, a Analyser, args ...any) {
	if r.Logger != nil {
		r.Logger.WarnContext(ctx, "an analyser did not end well", append([]any{"analyser", a.Name}, args...)...)
	}
}

// versionNumber matches the version in the output of a program.
var versionNumber = regexp.MustCompile(`\d+\.\d+(?:\.\d+)*`)

// versionTime bounds the question for the version of a program.
const versionTime = 20 * time.Second

// located is a program that was found.
type located struct {
	version string        // as the program reports it
	grade   sandbox.Grade // of the question for it; empty if the answer was kept
	failure Reason        // why the program is not used; "" if it is
}

// find follows the links to the program, asks it for its version in the sandbox, and compares the version. It keeps the
// answer until the program changes. The error is that of the context.
func (r *Runner) find(ctx context.Context, a *Analyser) (out located, err error) {
	real, err := filepath.EvalSymlinks(a.Path)
	if err != nil {
		r.log(ctx, *a, "error", "the program does not exist")
		return located{failure: NoProgram}, nil
	}
	info, err := os.Stat(real)
	if err != nil || !info.Mode().IsRegular() {
		r.log(ctx, *a, "error", "the program is not a file")
		return located{failure: NoProgram}, nil
	}
	a.Path = real
	key := fmt.Sprint(real, " ", info.Size(), " ", info.ModTime().UnixNano())
	r.mu.Lock()
	out.version = r.versions[key]
	r.mu.Unlock()
	if out.version == "" {
		if out, err = r.ask(ctx, *a); err != nil || out.failure != "" {
			return out, err
		}
		r.mu.Lock()
		if r.versions == nil {
			r.versions = map[string]string{}
		}
		r.versions[key] = out.version
		r.mu.Unlock()
	}
	if a.Version != "" && out.version != a.Version && !strings.HasPrefix(out.version, a.Version+".") {
		out.failure = Version
	}
	return out, nil
}

// ask asks a program for its version.
func (r *Runner) ask(ctx context.Context, a Analyser) (out located, err error) {
	p := a.program([]string{"--version"})
	p.Limits.Wall, p.Limits.CPU, p.Limits.Output = versionTime, versionTime, 64<<10
	ended, err := r.Launcher.Run(ctx, p)
	out.grade = ended.Grade
	if err != nil {
		out.failure, err = r.failure(ctx, a, err)
		return out, err
	}
	out.version = versionNumber.FindString(string(ended.Stdout) + "\n" + string(ended.Stderr))
	if ended.Code != 0 || out.version == "" {
		r.log(ctx, a, "error", fmt.Sprintf("it does not report its version: exit code %d", ended.Code))
		out.version, out.failure = "", NoProgram
	}
	return out, nil
}
