package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/doctor"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/instance/keys"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// vault holds the secrets of tenants in a database, stored as running processes store them.
type vault struct {
	t     *testing.T
	store *store.Store
	mu    sync.Mutex
	ids   map[string][]string // of credentials, by tenant
}

// ring returns the keyring of a process with these instance keys, the newest first.
func (v *vault) ring(configured ...string) *secret.Keyring {
	v.t.Helper()
	ring, err := secret.NewKeyring(secret.New(strings.Join(configured, ",")), secret.KeyStoreFuncs{LoadFunc: v.store.LoadKeyset, CreateFunc: v.store.CreateKeyset, KeptFunc: v.store.AfterCommit})
	testkit.OK(v.t, err)
	return ring
}

func credentialScope(tenant, id string) secret.Scope {
	return secret.Scope{Tenant: tenant, Table: "llm_credentials", Row: id, Column: "api_key"}
}

// add stores a secret whose value is the id of its row.
func (v *vault) add(ring *secret.Keyring, tenant string) error {
	id := domain.NewID("crd")
	sealed, err := ring.Seal(context.Background(), credentialScope(tenant, id), []byte(id))
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		_, err = v.store.CreateCredential(context.Background(), domain.Tenant{ID: tenant}, store.Credential{ID: id, Name: id, Kind: "openai", APIKey: sealed})
		if err == nil {
			break
		}
		if try == 3 || !errs.Is(err, errs.Unavailable) { // SQLite gives up after five seconds without its writer, and people then try again
			return err
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.ids[tenant] = append(v.ids[tenant], id)
	return nil
}

// check opens every secret of a tenant.
func (v *vault) check(ring *secret.Keyring, tenant string) (n int, err error) {
	v.mu.Lock()
	ids := append([]string(nil), v.ids[tenant]...)
	v.mu.Unlock()
	for _, id := range ids {
		row, err := v.store.Credential(context.Background(), domain.Tenant{ID: tenant}, id)
		if err != nil {
			return n, err
		}
		got, err := ring.Open(context.Background(), credentialScope(tenant, id), row.APIKey)
		if err != nil || string(got) != id {
			return n, fmt.Errorf("%s of %s: %q %w", id, tenant, got, err)
		}
		n++
	}
	return n, nil
}

// Three rotations of 200 secrets, each to a newer instance key, are killed while two processes read and
// store secrets; with ASSAY_FAULTS=all, as in make nightly, ten rotations of 1,000. After the last
// rotation, which completes, all older keys are retired, and the newest one opens everything.
func TestARotationIsKilled(t *testing.T) {
	t.Parallel()
	const tenants = 40
	kills, secretsOfOne := 3, 5
	if os.Getenv("ASSAY_FAULTS") == "all" {
		kills, secretsOfOne = 10, 25
	}
	storetest.Both.EachURL(t, func(t *testing.T, url string) {
		old, all := secret.NewToken(secret.InstanceKey).Reveal(), []string{}
		for range kills {
			all = append(all, secret.NewToken(secret.InstanceKey).Reveal())
		}
		all = append(all, old) // the newest first
		vars := map[string]string{"ASSAY_DATABASE_URL": url, "ASSAY_DATA_DIR": t.TempDir(), "ASSAY_INSTANCE_KEY": old}
		good(t, command(t, vars, "migrate"))
		good(t, command(t, vars, "audit", "key"))
		v := &vault{t: t, store: storetest.Open(t, url), ids: map[string][]string{}}
		before := v.ring(old)
		for range tenants {
			tenant := storetest.Tenant(t, v.store).ID
			for range secretsOfOne {
				testkit.OK(t, v.add(before, tenant))
			}
		}
		owners := slices.Collect(maps.Keys(v.ids)) // the map is written to below
		stop := make(chan struct{})
		var running sync.WaitGroup
		for range 2 {
			ring := v.ring(all...)
			running.Go(func() {
				pace := time.NewTicker(5 * time.Millisecond) // otherwise these processes would take all of SQLite's single writer
				defer pace.Stop()
				for {
					for _, tenant := range owners {
						select {
						case <-stop:
							return
						case <-pace.C:
						}
						if _, err := v.check(ring, tenant); err != nil {
							t.Error(err)
							return
						}
						if err := v.add(ring, tenant); err != nil {
							t.Error(err)
							return
						}
					}
				}
			})
		}
		halt := sync.OnceFunc(func() { close(stop); running.Wait() })
		t.Cleanup(halt)
		for n := range kills {
			vars["ASSAY_INSTANCE_KEY"] = strings.Join(all[kills-1-n:], ",")
			p := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{"keys", "rewrap", "--new-data-keys"}, Env: vars})
			p.WaitLine(startup, "Under way")
			p.Kill()
		}
		good(t, command(t, vars, "keys", "rewrap", "--new-data-keys"))
		halt()

		storetest.Beside(t, url)(`UPDATE keysets SET replaced_us = replaced_us - $1`, keys.KeepReplaced.Microseconds())
		out := good(t, command(t, vars, "keys", "rewrap"))
		if !strings.Contains(out, "Replaced data keys dropped: 41\n") {
			t.Errorf("it says %s", out)
		}
		names := v.ring(all...).Keys()
		for _, name := range names[1:] {
			good(t, command(t, vars, "keys", "retire", name))
		}
		vars["ASSAY_INSTANCE_KEY"] = all[0]
		good(t, command(t, vars, "audit", "key"))
		st := decode[keysInfo](t, good(t, command(t, vars, "keys", "status", "--json")))
		if len(st.Keys) != kills+1 || st.Keys[0].Key != names[0] || st.Keys[0].Keysets != 41 || st.Keys[0].Born != 41 || st.Replacing+st.Stale != 0 {
			t.Errorf("%+v", st)
		}
		for _, k := range st.Keys[1:] {
			if k.Keysets+k.Born != 0 || k.RetiredAt == nil {
				t.Errorf("%+v", k)
			}
		}
		after, n := v.ring(all[0]), 0
		for tenant := range v.ids {
			some, err := v.check(after, tenant)
			testkit.OK(t, err)
			n += some
		}
		if n < tenants*secretsOfOne {
			t.Errorf("%d secrets", n)
		}
	})
}

// A rotation is tried again while another process holds the write lock of SQLite.
func TestARotationWaitsForSQLite(t *testing.T) {
	t.Parallel()
	s, url := storetest.SQLiteAt(t)
	old, fresh := secret.NewToken(secret.InstanceKey).Reveal(), secret.NewToken(secret.InstanceKey).Reveal()
	vars := map[string]string{"ASSAY_DATABASE_URL": url, "ASSAY_DATA_DIR": t.TempDir(), "ASSAY_INSTANCE_KEY": fresh + "," + old}
	good(t, command(t, vars, "audit", "key"))
	v := &vault{t: t, store: s, ids: map[string][]string{}}
	testkit.OK(t, v.add(v.ring(old), storetest.Tenant(t, s).ID))
	another := storetest.Beside(t, url)
	another(`BEGIN IMMEDIATE`)
	p := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{"keys", "rewrap"}, Env: vars})
	p.WaitLine(startup, "Trying again")
	another(`ROLLBACK`)
	p.WaitLine(startup, "Data keys wrapped with it: 1")
}

// The command reports the work of all its tries. A try with nothing left to do ends it well, unless none before it began.
func TestARotationSumsItsTries(t *testing.T) {
	t.Parallel()
	busy := errs.New(errs.Unavailable, "busy", "busy")
	nothing := errs.New(errs.Conflict, "one_key", "nothing")
	behind := errs.New(errs.Conflict, "process_behind", "behind")
	type try struct {
		r   keys.Result
		err error
	}
	for name, tt := range map[string]struct {
		tries   []try
		wrapped int64
		dropped int64
		want    error
	}{
		"work in each":           {[]try{{keys.Result{Begun: true, Wrapped: 2}, busy}, {keys.Result{Begun: true, Wrapped: 3, Dropped: 1}, busy}, {keys.Result{Begun: true, Dropped: 1}, nil}}, 5, 2, nil},
		"nothing is left":        {[]try{{keys.Result{Begun: true, Dropped: 4}, busy}, {keys.Result{}, nothing}}, 0, 4, nil},
		"nothing at all":         {[]try{{keys.Result{}, busy}, {keys.Result{}, nothing}}, 0, 0, nothing},
		"a process is behind":    {[]try{{keys.Result{Begun: true, Wrapped: 1}, busy}, {keys.Result{}, behind}}, 1, 0, behind},
		"nothing at first sight": {[]try{{keys.Result{}, nothing}}, 0, 0, nothing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, again := 0, 0
			r, err := rewrap(t.Context(), func() (keys.Result, error) { n++; return tt.tries[n-1].r, tt.tries[n-1].err }, func() { again++ })
			if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
				t.Errorf("the error is %v, want %v", err, tt.want)
			}
			testkit.Equal(t, "tries", n, len(tt.tries))
			testkit.Equal(t, "messages", again, len(tt.tries)-1)
			testkit.Equal(t, "wrapped", r.Wrapped, tt.wrapped)
			testkit.Equal(t, "dropped", r.Dropped, tt.dropped)
		})
	}
}

// Key commands show keys by their names only, and refuse wrong arguments and keys that are still needed.
func TestKeysCommandsAndWhatTheyRefuse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old, fresh := secret.NewToken(secret.InstanceKey).Reveal(), secret.NewToken(secret.InstanceKey).Reveal()
	vars := func(key string) map[string]string {
		return map[string]string{"ASSAY_DATABASE_URL": filepath.Join(dir, "assay.db"), "ASSAY_DATA_DIR": dir, "ASSAY_INSTANCE_KEY": key}
	}
	nowhere := vars(old)
	nowhere["ASSAY_DATABASE_URL"] = filepath.Join(dir, "none.db")
	refuses := func(vars map[string]string, code int, words string, args ...string) {
		t.Helper()
		r := command(t, vars, append([]string{"keys"}, args...)...)
		if r.code != code || !strings.Contains(r.stderr, words) {
			t.Errorf("%v: exit code %d, %s%s", args, r.code, r.stdout, r.stderr)
		}
		for _, key := range []string{old, fresh} {
			if strings.Contains(r.stdout+r.stderr, key) {
				t.Errorf("%v: a key is shown", args)
			}
		}
	}
	refuses(nowhere, exitFailed, "none.db", "status")
	refuses(nowhere, exitFailed, "none.db", "rewrap")
	refuses(nowhere, exitFailed, "none.db", "retire", "00000000")
	refuses(vars(old), exitUsage, "unexpected argument forget", "forget")
	refuses(vars(old), exitUsage, "", "rewrap", "now")
	refuses(vars(old), exitUsage, "hexadecimal", "retire", old)
	refuses(vars(old), exitUsage, "lower case", "retire", "ABCDEF01")
	refuses(vars(old), exitUsage, "", "retire")

	good(t, command(t, vars(old), "migrate"))
	good(t, command(t, vars(old), "audit", "key"))
	name := strings.Fields(strings.Split(good(t, command(t, vars(old), "keys", "status")), "\n")[1])[0]
	refuses(vars(old), exitFailed, "only instance key that is configured", "rewrap")
	refuses(vars(old), exitFailed, "newest instance key", "retire", name)
	refuses(vars(old), exitFailed, "No instance key has this name", "retire", "00000000")
	refuses(vars(fresh), exitFailed, "wrapped by an instance key that is not configured: needed is key "+name, "status")
	refuses(vars(fresh), exitFailed, "add the needed key to ASSAY_INSTANCE_KEY", "status")
	refuses(vars(fresh+","+old), exitFailed, "still needed: It wraps the data keys of 1 tenant", "retire", name)
	good(t, command(t, vars(fresh+","+old), "keys", "rewrap"))
	if r := command(t, vars(fresh+","+old), "keys", "status"); !strings.Contains(r.stderr, name+": Nothing needs it. Run `assay keys retire "+name+"`") || !strings.Contains(r.stderr, "--new-data-keys") {
		t.Errorf("status says\n%s%s", r.stdout, r.stderr)
	}
	good(t, command(t, vars(fresh+","+old), "keys", "retire", name))
	if out := good(t, command(t, vars(fresh+","+old), "keys", "retire", name)); !strings.Contains(out, "was retired before") {
		t.Errorf("retired again: %s", out)
	}
	// The key was removed although it wraps the data keys of a tenant. The service and the doctor
	// report this.
	beside, err := store.Open(t.Context(), filepath.Join(dir, "assay.db"), store.Options{Beside: true})
	testkit.OK(t, err)
	v := &vault{t: t, store: beside, ids: map[string][]string{}}
	third := secret.NewToken(secret.InstanceKey).Reveal()
	testkit.OK(t, v.add(v.ring(third), storetest.Tenant(t, v.store).ID))
	testkit.OK(t, beside.Close())
	needed := "secrets of 1 tenants were wrapped by an instance key that is not configured: needed is key " + v.ring(third).Keys()[0]
	if checks, _ := examined(t, vars(fresh)); checks["D007"].Status != doctor.Fail || !strings.Contains(checks["D007"].Message, needed) {
		t.Errorf("the doctor says %+v", checks["D007"])
	}
	quiet := vars(fresh)
	quiet["ASSAY_METRICS_LISTEN"] = "off"
	p := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{"worker"}, Env: quiet})
	p.WaitLine(startup, needed)
	p.WaitLine(startup, "works on")
	terminate(t, p)

	refuses(vars(old+","+fresh), exitFailed, "was retired: put the newest key first", "status")
	refuses(vars(old), exitFailed, "was retired", "status")
	if checks, _ := examined(t, vars(old+","+fresh)); checks["D007"].Status != doctor.Fail || !strings.Contains(checks["D007"].Message, "was retired: put the newest key first") {
		t.Errorf("the doctor's check of a retired key that is first: %+v", checks["D007"])
	}
	good(t, command(t, vars(fresh), "keys", "status"))
}
