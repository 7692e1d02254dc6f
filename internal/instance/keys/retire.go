package keys

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// Retire records that an instance key is no longer needed and must not be used again, so that it can be
// removed from the configuration. It returns [errs.Conflict] if the key is still needed, with counts and
// advice, or if a running process would keep using it. It returns false if the key was retired before.
func (s *Service) Retire(ctx context.Context, name string) (bool, error) {
	newest := s.Keyring.Keys()[0]
	if err := s.Store.CheckInstanceKey(ctx, newest); err != nil {
		return false, err
	}
	if name == newest {
		return false, errs.New(errs.Conflict, "newest_key", "%s is the newest instance key, which wraps and marks everything new. "+
			"Put a newer one before it (ASSAY_INSTANCE_KEY=new,old), restart every process, run `assay keys rewrap`, and retire it then.", name)
	}
	st, err := s.Status(ctx)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(st.Keys, func(k Key) bool { return k.Name == name })
	switch {
	case i < 0:
		return false, errs.New(errs.NotFound, "unknown_key", "No instance key has this name. `assay keys status` lists the names; "+
			"configured are %s.",
			strings.Join(s.Keyring.Keys(), ", "))
	case st.Keys[i].Retired > 0:
		return false, nil
	case st.Stale > 0:
		return false, errs.New(errs.Conflict, "key_needed", "%s are still sealed with data keys that are being replaced. "+
			"Run `assay keys rewrap` again; it names values that do not open, which have to be entered again.", count(st.Stale, "secret", "secrets"))
	}
	if err := s.checkProcesses(ctx, name); err != nil {
		return false, err
	}
	err = s.Audit.Do(ctx, func(ctx context.Context) (audit.Act, error) {
		if _, err := s.Store.RetireKey(ctx, name); err != nil { // from now on nothing new needs it
			return audit.Act{}, err
		}
		var sets []store.Keyset
		for after, more := "", true; more; {
			some, err := s.Store.Keysets(ctx, after, page)
			if err != nil {
				return audit.Act{}, err
			}
			if sets, more = append(sets, some...), len(some) == page; more {
				after = some[page-1].Owner
			}
		}
		all, err := s.countUses(ctx, sets)
		if err != nil {
			return audit.Act{}, err
		}
		k := all[slices.IndexFunc(all, func(k Key) bool { return k.Name == name })]
		if k.Needed() {
			return audit.Act{}, errs.New(errs.Conflict, "key_needed", "The instance key %s is still needed: %s", name, k.Needs())
		}
		return act("instance-key.retire", name, fmt.Sprintf("Nothing needs it: keysets 0 of %d, pull requests 0.", len(sets))), nil
	})
	return err == nil, err
}

// Needs returns the uses of the key with advice; "" if it is not needed.
func (k Key) Needs() string {
	var out []string
	if k.Keysets > 0 {
		out = append(out, "It wraps the data keys of "+count(k.Keysets, "tenant", "tenants")+
			" (the instance counts as one). Run `assay keys rewrap`.")
	}
	if k.Pulls > 0 {
		some := strings.Join(k.Some, ", ")
		if int64(len(k.Some)) < k.Pulls {
			some += ", …"
		}
		out = append(out, "Its marks are on "+count(k.Pulls, "open pull request", "open pull requests")+
			" ("+some+"). It can be retired when they are closed or merged.")
	}
	return strings.Join(out, " ")
}

func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
