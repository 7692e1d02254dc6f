package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/app"
	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/instance/keys"
	"github.com/assay-dev/assay/internal/pause"
	"github.com/assay-dev/assay/internal/store"
)

type keysCmd struct {
	Status keysStatusCmd `cmd:"" help:"Show what needs each instance key, and what to do next."`
	Rewrap keysRewrapCmd `cmd:"" help:"Wrap all data keys with the newest instance key."`
	Retire keysRetireCmd `cmd:"" help:"Record that nothing needs an instance key, so that it can be removed from the configuration."`
}

// withKeys opens the instance keys for a command that acts as the operator.
func (e *env) withKeys(f func(ctx context.Context, s *keys.Service) error) error {
	return e.withStore(func(ctx context.Context, c config.Config, s *store.Store) error {
		k, err := app.InstanceKeys(ctx, c, s, e.logger(c))
		if err != nil {
			return err
		}
		return f(audit.As(ctx, app.Operator()), k)
	})
}

type keysStatusCmd struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// Help implements kong.HelpProvider.
func (keysStatusCmd) Help() string {
	return `A key is shown by its name: eight digits that are derived from it and reveal nothing. docs/instance-keys.md
says how a key is replaced, and what to do after a leak.

Examples:

    assay keys status
    assay keys status --json`
}

// keyInfo is the JSON form of an instance key.
type keyInfo struct {
	Key          string     `json:"key"`
	Place        keys.Place `json:"place"`
	Keysets      int64      `json:"keysets"`
	Born         int64      `json:"keysetsBorn"`
	PullRequests int64      `json:"pullRequests"`
	Some         []string   `json:"somePullRequests"`
	RetiredAt    *time.Time `json:"retiredAt"`
	Next         string     `json:"next"`
}

// keysInfo is the JSON form of the status.
type keysInfo struct {
	Keys      []keyInfo  `json:"keys"`
	Replacing int64      `json:"replacedKeysets"`
	Stale     int64      `json:"staleSecrets"`
	Until     *time.Time `json:"replacedUntil"`
	Processes []process  `json:"processes"`
}

// process is the JSON form of a running process.
type process struct {
	Process     string   `json:"process"`
	Version     string   `json:"version"`
	Keys        []string `json:"keys"`
	SeenSeconds int64    `json:"seenSecondsAgo"`
	Lacks       string   `json:"lacks"`
}

// Run implements the command.
func (c *keysStatusCmd) Run(e *env) error {
	return e.withKeys(func(ctx context.Context, s *keys.Service) error {
		st, err := s.Status(ctx)
		if err != nil {
			return err
		}
		out := keysInfo{Keys: []keyInfo{}, Replacing: st.Replacing, Stale: st.Stale, Until: instant(st.Until), Processes: []process{}}
		var rows, running [][]string
		for _, k := range st.Keys {
			i := keyInfo{k.Name, k.Place, k.Keysets, k.Born, k.Pulls, k.Some, instant(k.Retired), nextStep(k, len(st.Keys))}
			out.Keys = append(out.Keys, i)
			rows = append(rows, []string{i.Key, string(i.Place), fmt.Sprint(i.Keysets), fmt.Sprint(i.Born), fmt.Sprint(i.PullRequests),
				when(i.RetiredAt)})
		}
		for _, p := range st.Processes {
			i := process{p.Name, p.Version, append([]string{}, p.Keys...), p.SeenUS / time.Second.Microseconds(), keys.Lacks(p, st.Keys[0].Name)}
			out.Processes = append(out.Processes, i)
			running = append(running, []string{printable(i.Process), i.Version, strings.Join(i.Keys, " "),
				fmt.Sprintf("%d s ago", i.SeenSeconds), i.Lacks})
		}
		if c.JSON {
			return writeJSON(e.stdout, out)
		}
		if err := table(e.stdout, []string{"KEY", "PLACE", "WRAPS", "WRAPPED FIRST", "OPEN PULL REQUESTS", "RETIRED"}, rows); err != nil {
			return err
		}
		if len(running) > 0 {
			if _, err := fmt.Fprintln(e.stdout); err != nil {
				return err
			}
			if err := table(e.stdout, []string{"PROCESS", "VERSION", "KEYS", "SEEN", "NOTE"}, running); err != nil {
				return err
			}
		}
		for _, i := range out.Keys {
			if i.Next != "" {
				e.say("%s: %s", i.Key, printable(i.Next))
			}
		}
		if st.Replacing > 0 {
			e.say("%s", replaced(st.Replacing, st.Stale, out.Until))
		}
		return nil
	})
}

// nextStep returns the next action for a key, "" if there is nothing to do.
func nextStep(k keys.Key, known int) string {
	switch {
	case k.Place == keys.Newest && known == 1:
		return ""
	case k.Place == keys.Newest:
		return "It wraps and marks everything new."
	case k.Place == keys.Absent && k.Needed():
		return "It is not configured here and is still needed. Put it back behind the newest one (ASSAY_INSTANCE_KEY=new,old). " + k.Needs()
	case k.Needed():
		return k.Needs()
	case k.Place == keys.Absent:
		return ""
	case k.Retired > 0:
		return "It is retired. Remove it from ASSAY_INSTANCE_KEY (or instance.key) and restart every process." + leakAdvice(k)
	}
	return "Nothing needs it. Run `assay keys retire " + k.Name + "`, then remove it from the configuration." + leakAdvice(k)
}

// leakAdvice returns the advice about a key that was known to others.
func leakAdvice(k keys.Key) string {
	if k.Born == 0 {
		return ""
	}
	return fmt.Sprintf(" If it has leaked, run `assay keys rewrap --new-data-keys`: %d data keys were first wrapped with it.", k.Born)
}

func replaced(keysets, stale int64, until *time.Time) string {
	if stale > 0 {
		return fmt.Sprintf("Secrets that are still sealed with replaced data keys: %d. Run `assay keys rewrap` again.", stale)
	}
	return fmt.Sprintf("Replaced data keys of %d tenants (the instance counts as one) are kept until %s, because a request may "+
		"still have used them. They seal nothing; `assay keys rewrap` drops them after that time.", keysets, when(until))
}

// Rewrapping continues where it stopped, so that it is tried again while the database does not answer: other
// processes can keep SQLite's one writer for longer than a statement waits (design choices).
const (
	rewrapTries = 10
	rewrapPause = time.Second
)

type keysRewrapCmd struct {
	NewDataKeys bool `name:"new-data-keys" help:"After a leak: also replace data keys that other instance keys wrapped, and reseal all secrets."`
}

// Help implements kong.HelpProvider.
func (keysRewrapCmd) Help() string {
	return `The newest instance key is the first of ASSAY_INSTANCE_KEY. Every process must have it before this command
runs; the command refuses if one that runs lacks it. It may run while the service does, and can be cut off and run again
at any time.

Examples:

    assay keys rewrap
    assay keys rewrap --new-data-keys`
}

// Run implements the command.
func (c *keysRewrapCmd) Run(e *env) error {
	return e.withKeys(func(ctx context.Context, s *keys.Service) error {
		s.Progress = func(r keys.Result) {
			e.say("Under way: data keys %d, secrets %d.", r.Wrapped+r.Replaced, r.Resealed)
		}
		r, err := rewrap(ctx, func() (keys.Result, error) { return s.Rewrap(ctx, c.NewDataKeys) },
			func() { e.say("The database is busy or does not answer. Trying again.") })
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(e.stdout, "Newest key: %s\nData keys wrapped with it: %d\nData keys replaced: %d\nSecrets sealed with "+
			"the new ones: %d\nReplaced data keys dropped: %d\n",
			r.Newest, r.Wrapped, r.Replaced, r.Resealed, r.Dropped); err != nil {
			return err
		}
		if len(r.Broken) > 0 {
			e.say("These values do not open, because they were altered or moved; enter them again: %s.", printable(strings.Join(r.Broken, "; ")))
			return quiet(exitFailed)
		}
		if r.Kept > 0 {
			e.say("%s", replaced(r.Kept, 0, instant(r.Until)))
		}
		e.say("`assay keys status` says whether older keys can be retired.")
		return nil
	})
}

// rewrap tries again while the database does not answer, and returns the sum of all tries. again is called before each
// further try. A try that finds nothing to do is a success if one before it began.
func rewrap(ctx context.Context, try func() (keys.Result, error), again func()) (keys.Result, error) {
	sum, err := try()
	for tries := 1; errs.Is(err, errs.Unavailable) && tries < rewrapTries; tries++ {
		again()
		if err := pause.For(ctx, rewrapPause); err != nil {
			return sum, err
		}
		var next keys.Result
		next, err = try()
		if sum.Begun && keys.IsNothingToDo(err) {
			err = nil
		}
		next.Add(sum)
		sum = next
	}
	return sum, err
}

type keysRetireCmd struct {
	Key string `arg:"" name:"key" help:"Name of the key: eight hexadecimal digits, as assay keys status shows them."`
}

// Help implements kong.HelpProvider.
func (keysRetireCmd) Help() string {
	return `A key is refused as long as anything needs it: data keys that it wraps, or open pull requests with marks that
it made. A retired key is never used for anything new.

Examples:

    assay keys retire 1a2b3c4d`
}

// keyNameSize is the length of a key's name.
const keyNameSize = 8

// Run implements the command.
func (c *keysRetireCmd) Run(e *env) error {
	if len(c.Key) != keyNameSize || strings.Trim(c.Key, "0123456789abcdef") != "" {
		return usageError("the name of a key is %d hexadecimal digits in lower case; `assay keys status` lists the names. Never write "+
			"the key itself here", keyNameSize)
	}
	return e.withKeys(func(ctx context.Context, s *keys.Service) error {
		fresh, err := s.Retire(ctx, c.Key)
		if err != nil {
			return err
		}
		said := "The instance key %s is retired. Remove it from ASSAY_INSTANCE_KEY (or instance.key) and restart every process.\n"
		if !fresh {
			said = "The instance key %s was retired before. Remove it from ASSAY_INSTANCE_KEY (or instance.key) and restart every process.\n"
		}
		_, err = fmt.Fprintf(e.stdout, said, c.Key)
		return err
	})
}
