package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

// Processes report their instance keys. A process that lacks the newest key prevents its use, and one
// that has the old key first prevents its retirement. Both are named.
func TestProcessesSayWhichInstanceKeysTheyHave(t *testing.T) {
	t.Parallel()
	storetest.Both.EachURL(t, func(t *testing.T, url string) {
		roles := []string{"api", "worker"}
		if !strings.HasPrefix(url, "postgres") {
			roles = []string{"serve"} // one process has the database file
		}
		old, fresh := secret.NewToken(secret.InstanceKey).Reveal(), secret.NewToken(secret.InstanceKey).Reveal()
		vars := func(keys string) map[string]string {
			return map[string]string{"ASSAY_DATABASE_URL": url, "ASSAY_DATA_DIR": t.TempDir(), "ASSAY_INSTANCE_KEY": keys, "ASSAY_LISTEN": "127.0.0.1:0", "ASSAY_METRICS_LISTEN": "off", "ASSAY_KV_URL": ""}
		}
		good(t, command(t, vars(old), "migrate"))
		good(t, command(t, vars(old), "audit", "key"))
		status := func() keysInfo {
			return decode[keysInfo](t, good(t, command(t, vars(fresh+","+old), "keys", "status", "--json")))
		}
		running := func(keys string, n int) (stop func()) {
			t.Helper()
			var all []*testkit.Process
			for _, role := range roles {
				all = append(all, testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{role}, Env: vars(keys)}))
			}
			testkit.Eventually(t, startup, func() (bool, string) {
				got := status().Processes
				return len(got) == len(roles) && len(got[0].Keys) == n && len(got[len(got)-1].Keys) == n, fmt.Sprintf("the processes are %+v", got)
			})
			return func() {
				for _, p := range all {
					terminate(t, p)
				}
			}
		}
		refused := func(what string, args ...string) {
			t.Helper()
			r := command(t, vars(fresh+","+old), append([]string{"keys"}, args...)...)
			if r.code != exitFailed || !strings.Contains(r.stderr, what) || strings.Contains(r.stdout+r.stderr, old) || strings.Contains(r.stdout+r.stderr, fresh) {
				t.Errorf("%v: exit code %d, %s%s", args, r.code, r.stdout, r.stderr)
			}
			for _, role := range roles {
				if !strings.Contains(r.stderr, role+" on ") {
					t.Errorf("%v does not name the process %s: %s", args, role, r.stderr)
				}
			}
		}
		st := status()
		newName, oldName := st.Keys[0].Key, st.Keys[1].Key
		stop := running(old, 1)
		refused("it lacks the instance key "+newName, "rewrap")
		if got := status(); got.Keys[1].Keysets != 1 || !strings.Contains(got.Processes[0].Lacks, newName) {
			t.Errorf("after the refusal: %+v", got)
		}
		stop()
		stop = running(old+","+fresh, 2)
		good(t, command(t, vars(fresh+","+old), "keys", "rewrap"))
		refused("it has the instance key "+oldName+" first", "retire", oldName)
		stop()
		stop = running(fresh+"\n"+old, 2)
		good(t, command(t, vars(fresh+","+old), "keys", "retire", oldName))
		stop()
		if got := status().Processes; len(got) != 0 {
			t.Errorf("after their end there are the processes %+v", got)
		}
	})
}

// The instance key in a file may end with a newline. A repeated key, a missing key and half a key are
// refused without showing the value.
func TestConfiguredInstanceKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two := secret.NewToken(secret.InstanceKey).Reveal(), secret.NewToken(secret.InstanceKey).Reveal()
	vars := func(name, value string) map[string]string {
		return map[string]string{"ASSAY_DATABASE_URL": filepath.Join(dir, "assay.db"), "ASSAY_DATA_DIR": filepath.Join(dir, "data"), "ASSAY_INSTANCE_KEY" + name: value}
	}
	file := func(content string) string {
		path := filepath.Join(t.TempDir(), "key")
		testkit.OK(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	good(t, command(t, vars("", one), "migrate"))
	good(t, command(t, vars("", one), "audit", "key"))
	for what, content := range map[string]string{"a line": one + "\n", "a line of Windows": "\ufeff" + one + "\r\n", "several lines": one + "\n\n" + two + "\n", "spaces": "  " + one + "  \n"} {
		if r := command(t, vars("_FILE", file(content)), "keys", "status"); r.code != 0 {
			t.Errorf("a file with %s: %d %s", what, r.code, r.stderr)
		}
	}
	for what, vars := range map[string]map[string]string{
		"the same key twice":             vars("", one+","+one),
		"twice, with another between":    vars("", one+","+two+","+one),
		"half a key":                     vars("", one[:len(one)-4]),
		"commas alone":                   vars("", ", ,"),
		"two keys without a separator":   vars("", one+two),
		"another separator":              vars("", one+";"+two),
		"an empty file":                  vars("_FILE", file("")),
		"a file of line ends":            vars("_FILE", file("\n\n")),
		"an empty value where there was": vars("", ""),
	} {
		r := command(t, vars, "keys", "status")
		if r.code == 0 || !strings.Contains(r.stderr, "ASSAY_INSTANCE_KEY") || strings.Contains(r.stdout+r.stderr, one[12:24]) || strings.Contains(r.stdout+r.stderr, two[12:24]) {
			t.Errorf("%s: %d %s%s", what, r.code, r.stdout, r.stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "data", "instance.key")); err == nil {
		t.Error("a command made an instance key beside a database whose secrets another one protects")
	}
}
