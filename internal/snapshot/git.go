package snapshot

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/sandbox"
)

// program is the git command, locked down.
type program struct {
	path   string
	bounds *bounds // nil for a person's own checkout
	// suspect finds a file that git may be waiting for. It is called once, when a run takes longer than a
	// second; nil: no search.
	suspect func(ctx context.Context) error
	// brief replaces briefTime in tests; 0 keeps it.
	brief time.Duration
}

// bounds apply if the repository is untrusted.
type bounds struct {
	launcher *sandbox.Launcher // nil: without limits
	limits   sandbox.Limits
}

// untrustedConfig is the configuration for untrusted repositories. A file above bigFile is never loaded whole:
// its diff says "binary". Packs are mapped in small windows, because git's defaults exceed its address
// space here. git makes no deltas here, so the settings for them are irrelevant.
var untrustedConfig = [][2]string{
	{"core.bigFileThreshold", strconv.Itoa(bigFile)}, {"core.packedGitWindowSize", "32m"}, {"core.packedGitLimit", "128m"},
	{"core.deltaBaseCacheLimit", "32m"},
}

// settings are the configuration of every call. They switch off everything that the repository's own
// configuration could run or redirect (git-config manual).
var settings = [][2]string{
	{"core.hooksPath", os.DevNull}, {"core.fsmonitor", "false"}, {"core.pager", "cat"}, {"core.askPass", ""},
	{"core.attributesFile", os.DevNull},
	{"core.excludesFile", os.DevNull}, {"core.sshCommand", "false"}, {"core.gitProxy", ""}, {"core.quotePath", "false"},
	{"core.autocrlf", "false"},
	{"core.untrackedCache", "false"}, {"core.useReplaceRefs", "false"}, {"credential.helper", ""},
	{"protocol.allow", "never"}, {"submodule.recurse", "false"}, {"fetch.recurseSubmodules", "false"}, {"gc.auto", "0"},
	{"maintenance.auto", "false"}, {"fetch.unpackLimit", "1"}, {"http.followRedirects", "false"}, {"http.proxy", ""},
	{"http.lowSpeedLimit", "1000"},
	{"http.lowSpeedTime", "30"}, {"http.emptyAuth", "false"}, {"http.maxRetries", "0"}, {"transfer.bundleURI", "false"},
	{"fetch.writeCommitGraph", "false"}, {"pack.threads", "1"},
	{"grep.fallbackToNoIndex", "false"}, {"log.showSignature", "false"}, {"advice.detachedHead", "false"},
}

// call is one run of git.
type call struct {
	dir      string      // the git directory; "": without
	args     []string    // subcommand and arguments
	config   [][2]string // added to settings; travels in the environment, never on the command line
	env      []string    // added to the minimal environment
	personal []string    // the person's environment, replaces settings and isolated; only for commands that start no program
	protocol string      // GIT_ALLOW_PROTOCOL; "" allows no protocol
	stdin    []byte
	max      int                         // bytes of output; 0: 1 MiB
	memory   int64                       // bytes of address space, if less than git's limit
	into     func(stop func()) io.Writer // takes the output without a bound; stop ends git; nil: run returns it
	what     string
	watch    func() error // called every second; an error ends the run
	brief    bool         // ends within a moment unless git waits for a file; see briefTime
}

// briefTime bounds a command that only reads settings and names of folders (a design choice: it takes
// milliseconds).
const briefTime = 20 * time.Second

// isolatedEnv excludes the configuration of the person and of the system. HOME does not exist, so that curl
// finds no .netrc.
var isolatedEnv = []string{"HOME=/nonexistent", "XDG_CONFIG_HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=" + os.DevNull,
	"GIT_CONFIG_GLOBAL=" + os.DevNull,
	"GIT_ATTR_NOSYSTEM=1"}

// environment returns the child's whole environment.
func (c call) environment() []string {
	env := []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "LC_ALL=C", "TZ=UTC",
		"GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_OPTIONAL_LOCKS=0", "GIT_LITERAL_PATHSPECS=1",
		"GIT_PROTOCOL_FROM_USER=0",
		// git takes an empty list as unset, so a protocol that does not exist stands for no protocol.
		"GIT_ALLOW_PROTOCOL=" + cmp.Or(c.protocol, "none"), "GIT_PAGER=cat", "GIT_EDITOR=false",
	}
	if c.personal != nil {
		return append(append(env, c.personal...), c.env...)
	}
	env = append(env, isolatedEnv...)
	all := append(append([][2]string{}, settings...), c.config...)
	for i, kv := range all {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, kv[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, kv[1]))
	}
	return append(append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(all))), c.env...)
}

func (p program) command(ctx context.Context, c call) (*exec.Cmd, error) {
	args := c.args
	if c.dir != "" {
		args = append([]string{"--git-dir=" + c.dir}, args...)
	}
	var launcher *sandbox.Launcher
	var limits sandbox.Limits
	if p.bounds != nil {
		launcher, limits = p.bounds.launcher, p.bounds.limits
		c.config = slices.Concat(untrustedConfig, c.config)
	}
	if c.memory > 0 {
		limits.AddressSpace = min(limits.AddressSpace, c.memory)
	}
	cmd, err := launcher.Command(ctx, limits, p.path, args...)
	if err != nil {
		return nil, err
	}
	cmd.Env = c.environment()
	return cmd, nil
}

// beyond returns an error if a limit ended git; otherwise nil.
func (p program) beyond(c call, cmd *exec.Cmd, stderr []byte) error {
	if p.bounds == nil {
		return nil
	}
	fault := sandbox.FaultOf(cmd.ProcessState, stderr)
	switch {
	case fault == nil:
		return nil
	case fault.Cause == sandbox.Setup:
		return errs.Wrap(fault, errs.Unavailable, "git_not_started", "git could not be started under its limits.")
	}
	return errs.Wrap(fault, errs.TooLarge, "snapshot_too_large", "The %s needs more %s than git may use.", c.what, fault.Cause)
}

// gitError is a failed run of git. Its text is for logs.
type gitError struct {
	what   string
	code   int
	stderr string
}

func (e *gitError) Error() string {
	return fmt.Sprintf("git %s: exit status %d: %s", e.what, e.code, strings.TrimSpace(e.stderr))
}

var errOutput = errors.New("output limit")

// run runs git and returns its output.
func (p program) run(ctx context.Context, c call) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	limit := c.max
	if limit == 0 {
		limit = 1 << 20
	}
	cmd, err := p.command(ctx, c)
	if err != nil {
		return nil, err
	}
	full := func() { cancel(errOutput) }
	stdout, stderr := &sandbox.Head{Limit: limit, Full: full}, &sandbox.Head{Limit: 8 << 10}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if c.into != nil {
		cmd.Stdout = c.into(full)
	}
	if c.stdin != nil {
		cmd.Stdin = bytes.NewReader(c.stdin)
	}
	wait, err := sandbox.Start(cmd)
	if err != nil {
		return nil, fmt.Errorf("start git: %w", err)
	}
	if c.brief {
		limit := cmp.Or(p.brief, briefTime)
		end := time.AfterFunc(limit, func() {
			cancel(errs.New(errs.Invalid, "git_waits", "git has waited for more than %v while it read its configuration: "+
				"look for a named pipe or a device among the files that it includes.", limit))
		})
		defer end.Stop()
	}
	if c.watch == nil && p.suspect != nil {
		asked := false
		c.watch = func() error {
			if asked {
				return nil
			}
			asked = true
			return p.suspect(ctx)
		}
	}
	watched := make(chan struct{})
	if c.watch != nil {
		go func() {
			defer close(watched)
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
					if err := c.watch(); err != nil {
						cancel(err)
						return
					}
				}
			}
		}()
	} else {
		close(watched)
	}
	err = wait()
	cause := context.Cause(ctx)
	cancel(nil)
	<-watched
	switch {
	case errors.Is(cause, errOutput):
		return nil, tooLarge(c.what)
	case cause != nil:
		return nil, cause
	case err != nil:
		if beyond := p.beyond(c, cmd, stderr.Bytes()); beyond != nil {
			return nil, beyond
		}
		code := -1
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			code = exit.ExitCode()
		}
		return stdout.Bytes(), &gitError{what: c.what, code: code, stderr: string(stderr.Bytes())}
	}
	return stdout.Bytes(), nil
}
