package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/local"
	"github.com/assay-dev/assay/internal/review/prepush"
	"github.com/assay-dev/assay/internal/review/report"
)

type hookCmd struct {
	Install hookInstallCmd `cmd:"" help:"Review what is pushed: make a pre-push hook of git in this checkout."`
	Remove  hookRemoveCmd  `cmd:"" help:"Take the hook away."`
	PrePush prePushCmd     `cmd:"" name:"pre-push" hidden:"" help:"What the hook runs."`
}

// hookFlags are set when the hook is installed and used when it runs.
type hookFlags struct {
	FailOn  string        `enum:"info,low,medium,high,critical,never" default:"never" placeholder:"SEVERITY" help:"Lowest severity that keeps git from pushing: info, low, medium, high, critical, never. Default: never, findings are only shown."`
	Timeout time.Duration `default:"2m" placeholder:"TIME" help:"How long a push waits for its review, at most 30m. Default: 2m."`
}

func (f hookFlags) check() error {
	if f.Timeout < time.Second || f.Timeout > 30*time.Minute {
		return usageError("--timeout must be between 1s and 30m")
	}
	return nil
}

type hookInstallCmd struct {
	hookFlags `embed:""`
}

// Help implements kong.HelpProvider.
func (hookInstallCmd) Help() string {
	return `The hook reviews what a push brings to the other side, by name, by address and with --mirror: the lines that
neither the references of the push nor the remotes of this checkout are known to have. It writes what it finds to the
terminal. A failure of its own never stops a push: not if the review fails or takes too long, or assay is gone. git push
--no-verify leaves it out.

The model is the one of $ASSAY_REVIEW_MODEL_URL, $ASSAY_REVIEW_MODEL and $ASSAY_REVIEW_MODEL_KEY_FILE at the time of the
push; without one, only deterministic checks run.

Examples:

    assay hook install
    assay hook install --fail-on high --timeout 5m
    assay hook remove`
}

// Run implements the command.
func (c *hookInstallCmd) Run(e *env) error {
	if err := c.check(); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	if self, err = filepath.EvalSymlinks(self); err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	path, err := prepush.Install(e.context, ".", []string{self, "hook", "pre-push", "--fail-on", c.FailOn, "--timeout",
		c.Timeout.String(), "--"})
	if err != nil {
		return err
	}
	effect := "The hook reviews the commits before each push and prints the findings. It never stops a push because of them."
	if c.FailOn != "never" {
		effect = "The hook reviews the commits before each push. It stops the push if it finds a secret, or a finding of severity " +
			c.FailOn + " or above."
	}
	fmt.Fprintf(e.stdout, "The hook was installed in %s. %s\n", printable(path), effect)
	return nil
}

type hookRemoveCmd struct{}

// Help implements kong.HelpProvider.
func (hookRemoveCmd) Help() string {
	return `A hook that assay did not make is left alone.

Examples:

    assay hook remove`
}

// Run implements the command.
func (hookRemoveCmd) Run(e *env) error {
	path, err := prepush.Remove(e.context, ".")
	switch {
	case err != nil:
		return err
	case path == "":
		fmt.Fprintln(e.stdout, "There is no hook of assay in this checkout.")
	default:
		fmt.Fprintf(e.stdout, "%s is gone.\n", printable(path))
	}
	return nil
}

// prePushCmd is the command of the installed hook. It exits with [prepush.Blocked] if findings block the push,
// otherwise with 0, even after a failure.
type prePushCmd struct {
	hookFlags  `embed:""`
	modelFlags `embed:""`

	Remote string `arg:"" optional:"" default:"origin"`
	URL    string `arg:"" optional:""`
}

// Help implements kong.HelpProvider.
func (prePushCmd) Help() string {
	return `The hook that assay hook install makes runs this. Standard input says what is pushed, as githooks(5) describes
it. The exit code is 10 where findings keep the push back, and 0 else, whatever fails.

Examples:

    echo "refs/heads/topic $(git rev-parse HEAD) refs/heads/topic $(git rev-parse origin/main)" |
      assay hook pre-push --fail-on high -- origin`
}

// Run implements the command.
func (c *prePushCmd) Run(e *env) error {
	whole, stop := e.interrupted()
	defer stop()
	ctx, cancel := context.WithTimeout(whole, c.Timeout)
	defer cancel()
	checks, cancel := context.WithTimeout(whole, c.Timeout+checksTime)
	defer cancel()
	err := c.review(ctx, checks, e)
	if blocked, is := errors.AsType[quiet](err); is {
		return blocked
	}
	switch {
	case err == nil:
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.say("The review took longer than %s; the push goes on without it.", c.Timeout)
	default:
		e.say("The review could not be done, and the push goes on without it: %v", err)
	}
	return nil
}

// review reviews the commits of a push. The checks context bounds the deterministic checks: those that replace
// a model that was too slow, and those of the commits beyond [prepush.MaxPushed].
func (c *prePushCmd) review(ctx, checks context.Context, e *env) error {
	if e.stdin == nil {
		return errors.New("git tells a hook on its standard input what is pushed")
	}
	pushed, err := prepush.Read(e.stdin)
	if err != nil {
		return err
	}
	ids := make([]string, len(pushed.Heads))
	for i, h := range pushed.Heads {
		ids[i] = h.ID
	}
	if ids, err = local.News(ctx, local.Options{Environ: e.vars, Known: pushed.Known}, ids); err != nil || len(ids) == 0 {
		return err
	}
	if err := c.modelFlags.check(e); err != nil {
		return err
	}
	models, err := c.open(e, nil)
	if err != nil {
		return err
	}
	scanner, err := check.New()
	if err != nil {
		return err
	}
	var checked, left []string
	blocked, reviewed := false, 0
	for _, h := range pushed.Heads {
		if !slices.Contains(ids, h.ID) {
			continue
		}
		p := pushedHead{Head: h, known: pushed.Known, models: models, scanner: scanner}
		if reviewed == prepush.MaxPushed+prepush.MaxChecked {
			left = append(left, printable(h.Name()))
			continue
		}
		at := ctx
		if p.brief = reviewed >= prepush.MaxPushed; p.brief {
			at = checks
			if p.models != nil {
				p.models, p.note = nil, fmt.Sprintf("a model reviews %d commits of a push at most", prepush.MaxPushed)
			}
		}
		brings, blocks, err := c.reviewHead(at, checks, e, p)
		if p.brief && brings {
			checked = append(checked, printable(h.Name()))
		}
		switch {
		case err != nil && at.Err() != nil:
			return err
		case err != nil: // the other commits may still be reviewable
			e.say("%s is pushed without a review, which could not be done: %v", printable(h.Name()), err)
			continue
		case brings:
			reviewed++
		}
		blocked = blocked || blocks
		pushed.Known = append(pushed.Known, h.ID) // so that each line is shown once
	}
	if n := len(checked); n > 0 {
		e.say("Only the deterministic checks looked at these, because a push is reviewed for %d commits at most: %s%s.", prepush.MaxPushed,
			strings.Join(checked[:min(n, prepush.MaxPushed)], ", "), andMore(n-prepush.MaxPushed))
	}
	if n := len(left); n > 0 {
		names := strings.Join(left[:min(n, prepush.MaxPushed)], ", ") + andMore(n-prepush.MaxPushed)
		if c.FailOn != "never" {
			e.say("The push is kept back, because it brings more than %d commits of branches and tags, and nothing looked at %s. "+
				"Push fewer at once, or push with --no-verify.",
				prepush.MaxPushed+prepush.MaxChecked, names)
			return quiet(prepush.Blocked)
		}
		e.say("Pushed without a review, because a push is checked for %d commits at most: %s.", prepush.MaxPushed+prepush.MaxChecked, names)
	}
	if blocked {
		e.say("The push is kept back by findings. Mend them, or push with --no-verify.")
		return quiet(prepush.Blocked)
	}
	return nil
}

func andMore(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// checksTime is the extra time for the deterministic checks of all commits after the time of the review, if
// the model was too slow or the commits are many (design choice).
const checksTime = 30 * time.Second

// pushedHead is a commit with the settings of its review.
type pushedHead struct {
	prepush.Head
	known   []string
	models  *ask.Models
	scanner *check.Checker
	note    string // why the named model is not asked
	brief   bool   // shown only with findings
}

// reviewHead reviews one commit. brings reports whether it adds anything, blocks whether its findings block the push.
func (c *prePushCmd) reviewHead(ctx, checks context.Context, e *env, h pushedHead) (brings, blocks bool, err error) {
	o := local.Options{Environ: e.vars, Pushed: h.ID, Known: h.known, Models: h.models, ModelNote: h.note, Version: version, Checks: h.scanner}
	got, err := local.Run(ctx, o)
	if err != nil && h.models != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) { // a slow model must not hide a secret
		e.say("The review of %s by the model took longer than %s. Only the deterministic checks look at it.", printable(h.Name()), c.Timeout)
		o.Models, o.ModelNote = nil, fmt.Sprintf("the model took longer than %s", c.Timeout)
		got, err = local.Run(checks, o)
	}
	if err != nil || got.BaseSHA == got.HeadSHA {
		return false, false, err
	}
	if h.brief && len(got.Result.Findings) == 0 {
		return true, false, nil
	}
	fmt.Fprintf(e.stderr, "assay: %s\n", printable(h.Name()))
	if err := report.Write(e.stderr, got, report.Options{Color: os.Getenv("NO_COLOR") == "" &&
		terminal(e.stderr), Width: width(e.stderr)}); err != nil {
		return false, false, fmt.Errorf("write the report: %w", err)
	}
	severity, fails := domain.ParseSeverity(c.FailOn)
	return true, fails && got.ExitCode(&severity) == report.ExitFindings, nil
}
