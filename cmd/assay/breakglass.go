package main

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// Bounds of the life of a one-time link. They are short, because its user is waiting for it.
const (
	shortestLink = time.Minute
	longestLink  = time.Hour
)

type breakGlassCmd struct {
	User string        `required:"" help:"Id or name of the person."`
	Life time.Duration `default:"15m" help:"How long the link can be used, from 1m to 1h."`
	From []string      `sep:"," placeholder:"NETWORK" help:"Networks or addresses from which the link works, at most 20, such as 10.0.0.0/8. Without it: from everywhere."`
}

// Help implements kong.HelpProvider.
func (breakGlassCmd) Help() string {
	return `For the day on which no identity provider answers. The link works once. It is printed here only; keep it to yourself.
Making it and using it stand in the audit log, and every tenant that the person administers is told.

Examples:

    assay admin break-glass --user "Ada Admin"
    assay admin break-glass --user usr_01m7yt79dxa0emkr3tg6tz3qvc --life 5m
    assay admin break-glass --user "Ada Admin" --from 10.0.0.0/8,192.0.2.7`
}

// Run implements the command.
func (b *breakGlassCmd) Run(e *env) error {
	if b.Life < shortestLink || b.Life > longestLink {
		return usageError("--life must be from %s to %s", "1m", "1h")
	}
	from, err := networks(b.From)
	if err != nil {
		return err
	}
	return e.withAudit(func(ctx context.Context, c config.Config, s *store.Store, log *audit.Log) error {
		user, err := findUser(ctx, s, b.User)
		if err != nil {
			return err
		}
		var link string
		err = log.Do(ctx, func(ctx context.Context) (audit.Act, error) {
			act := audit.Act{Action: "break-glass.create", Target: audit.Target{Kind: "user", ID: user.ID, Name: user.Name}}
			if from != "" {
				act.Note = "from " + from
			}
			if link, err = signInLink(ctx, s, c.BaseURL(), store.NewSignInLink{User: user.ID, Purpose: store.LinkBreakGlass, Networks: from,
				Life: b.Life}); err != nil {
				return act, err
			}
			return act, auth.TellOfBreakGlass(ctx, s, user.ID, domain.LinkMade)
		})
		if err != nil {
			return err
		}
		e.say("This link signs in as %s. It works once, until %s%s:", printable(user.Name), time.Now().Add(b.Life).Format("15:04"), only(from))
		_, err = fmt.Fprintln(e.stdout, link)
		return err
	})
}

// maxNetworks bounds the networks from which a link works (design choice).
const maxNetworks = 20

// networks parses the networks from which a link works, and returns them in the database's form.
func networks(list []string) (string, error) {
	if len(list) > maxNetworks {
		return "", usageError("--from takes at most %d networks", maxNetworks)
	}
	out := make([]string, len(list))
	for i, text := range list {
		p, err := netip.ParsePrefix(text)
		if a, notAddress := netip.ParseAddr(text); notAddress == nil && a.Zone() == "" {
			p, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil || p.Masked() != p || p.Bits() == 0 || p.Addr().Is4In6() {
			return "", usageError("--from, entry %d: it must be a network such as 10.0.0.0/8, with no bits set behind the mask, or one address", i+1)
		}
		out[i] = p.String()
	}
	return strings.Join(out, ","), nil
}

func only(from string) string {
	if from == "" {
		return ""
	}
	return ", from " + strings.ReplaceAll(from, ",", ", ") + " only"
}
