package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/config"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
)

func (e *examination) configuration(context.Context) {
	const code, name = "D001", "configuration"
	if e.ConfigErr != nil {
		e.add(code, name, Fail, strings.ReplaceAll(e.ConfigErr.Error(), "\n", "; "),
			"Correct the settings named; `assay config check` shows all of them.")
		return
	}
	if len(e.Unknown) > 0 {
		e.add(code, name, Warn, "valid, but these variables are not settings: "+strings.Join(e.Unknown, ", "),
			"Correct or remove them; docs/configuration.md lists every setting.")
		return
	}
	e.add(code, name, OK, "valid, edition "+e.Config.Edition, "")
}

func (e *examination) dataFolder(context.Context) {
	const code, name = "D002", "data folder"
	dir := e.Config.DataDir
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.add(code, name, Skip, dir+" does not exist yet; the first start makes it", "")
		return
	case err != nil:
		e.add(code, name, Fail, fmt.Sprintf("%s cannot be read: %v", dir, reason(err)),
			"Give the account that runs assay access to ASSAY_DATA_DIR.")
		return
	case !info.IsDir():
		e.add(code, name, Fail, dir+" is not a folder", "Set ASSAY_DATA_DIR to a folder.")
		return
	}
	probe, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		e.add(code, name, Fail, fmt.Sprintf("%s cannot be written to: %v", dir, reason(err)),
			"Give the account that runs assay the right to write to ASSAY_DATA_DIR, and free space where the disk is full.")
		return
	}
	_ = probe.Close()
	_ = os.Remove(probe.Name())
	free, size, err := freeSpace(dir)
	switch {
	case err != nil:
		e.add(code, name, OK, dir+" can be written to; how much space is free there cannot be seen", "")
	case free < leastSpace:
		e.add(code, name, Warn, fmt.Sprintf("%s can be written to, but only %s of %s are free there", dir, megabytes(free), megabytes(size)),
			"Free space there, or move ASSAY_DATA_DIR to a larger disk. Where it is full, an embedded database refuses every delivery, "+
				"and code is not fetched.")
	default:
		e.add(code, name, OK, fmt.Sprintf("%s can be written to, %s of %s are free there", dir, megabytes(free), megabytes(size)), "")
	}
}

// leastSpace is the free space of the data folder below which the check warns, in bytes. The write-ahead
// log of an embedded database and the commits for reviews need about that much (design choice).
const leastSpace = 1 << 30

// reason returns a file system error without the path, because the message already has it.
func reason(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

func (e *examination) instanceKey(context.Context) {
	const code, name = "D003", "instance key"
	c := e.Config
	if c.InstanceKey.IsSet() {
		if _, err := secret.ParseKeys(c.InstanceKey); err != nil {
			e.add(code, name, Fail, err.Error(), "Set ASSAY_INSTANCE_KEY or ASSAY_INSTANCE_KEY_FILE to the key that was used before.")
			return
		}
		e.add(code, name, OK, "configured", "")
		return
	}
	if _, err := os.Lstat(c.InstanceKeyFile()); errors.Is(err, fs.ErrNotExist) {
		e.add(code, name, Skip, c.InstanceKeyFile()+" does not exist yet; the first start makes it", "")
		return
	}
	if _, err := c.EnsureInstanceKey(); err != nil { // the file exists, so nothing is created
		e.add(code, name, Fail, err.Error(), "Restore the key from your backup; without it the stored secrets are lost.")
		return
	}
	e.Config = c
	e.add(code, name, OK, c.InstanceKeyFile()+" can be read; keep a copy beside your backups", "")
}

func (e *examination) baseURL(ctx context.Context) {
	const code, name = "D012", "public address"
	base, isSet := e.publicBase(ctx)
	if !isSet && e.LocalHosts {
		e.add(code, name, OK, base+" is used; the code hosts run on this machine and reach it", "")
		return
	}
	if !isSet {
		e.add(code, name, Warn, "no public address is set; "+base+" is used, which no code host outside this machine reaches",
			"Set the https address under which browsers and the code host reach this service: in the console under Instance settings, or in "+
				"ASSAY_PUBLIC_BASE_URL.")
		return
	}
	u, err := url.Parse(base)
	if err != nil {
		e.add(code, name, Fail, "the public address cannot be read", "Set ASSAY_PUBLIC_BASE_URL to an origin such as https://assay.example.com.")
		return
	}
	if a, err := netip.ParseAddr(u.Hostname()); u.Hostname() == "localhost" || err == nil && (a.IsLoopback() || a.IsPrivate()) {
		if e.delivered(ctx) {
			e.add(code, name, OK, base+" is an address of this machine or of a private network, and deliveries of a code host arrive", "")
			return
		}
		e.add(code, name, Warn, base+" is an address of this machine or of a private network; the code host must be inside it too",
			"Use a name that the code host resolves and reaches.")
		return
	}
	if e.Parts.Reach == nil {
		e.add(code, name, Skip, base+" was not asked", "")
		return
	}
	if err := e.Parts.Reach(ctx, base+"/healthz"); err != nil && e.delivered(ctx) {
		e.add(code, name, OK, base+" does not answer from here, but deliveries of a code host arrive", "")
		return
	} else if err != nil {
		e.add(code, name, Warn, fmt.Sprintf("%s does not answer from here: %v", base, err),
			"Start the API, and check DNS, the reverse proxy and the certificate. Some networks do not let a machine reach its own public "+
				"address; then ask from outside.")
		return
	}
	e.add(code, name, OK, base+" answers", "")
}

// provenFor is how long a delivery proves that code hosts reach the service (design choice).
const provenFor = 7 * 24 * time.Hour

// delivered reports whether a delivery of a code host has arrived in the last days. The checks of the database report its errors.
func (e *examination) delivered(ctx context.Context) bool {
	if !e.loaded {
		return false
	}
	found, err := e.store.Deliveries(ctx, store.DeliveryFilter{SinceUS: e.Now().Add(-provenFor).UnixMicro(), Limit: 1})
	return err == nil && len(found) > 0
}

// publicBase returns the public address in effect, and whether it is set explicitly.
func (e *examination) publicBase(ctx context.Context) (base string, isSet bool) {
	if e.Config.PublicBaseURL == "" && e.loaded && e.Parts.BaseURL != nil {
		if stored, err := e.Parts.BaseURL(ctx, e.store); err == nil && stored != "" { // the checks of the database report the error
			return stored, true
		}
	}
	return e.Config.BaseURL(), e.Config.PublicBaseURL != ""
}

func (e *examination) proxies(ctx context.Context) {
	const code, name = "D019", "client addresses"
	base, _ := e.publicBase(ctx)
	switch {
	case e.Config.UnnamedProxy(base):
		e.add(code, name, Warn, "a reverse proxy probably stands in front, and none is named: all clients share its address in rate "+
			"limits, logs, sessions and the audit log", config.NameProxies)
	case len(e.Config.TrustedProxy) > 0:
		e.add(code, name, OK, "X-Forwarded-For is believed from "+strings.Join(e.Config.TrustedProxy, ", "), "")
	default:
		e.add(code, name, OK, "those of the connection; no proxy is named, and nothing shows that there is one", "")
	}
}

func (e *examination) sizing(context.Context) {
	l := e.Config.Lanes.Review
	e.add("D018", "sizing", OK, fmt.Sprintf("reviews per minute and worker ≈ 60 × lanes.review ÷ seconds per review: with "+
		"lanes.review %d and 30 s per review about %d", l, 60*l/30), "")
}

// databaseName returns the name of the configured database, without credentials.
func databaseName(c config.Config) string {
	db, err := c.Database()
	switch {
	case err != nil:
		return "the database"
	case db.Path != "":
		return filepath.Clean(db.Path)
	}
	u, err := url.Parse(db.DSN.Reveal())
	if err != nil {
		return "the database"
	}
	return "the database " + strings.TrimPrefix(u.Path, "/") + " at " + u.Host
}

// megabytes formats a number of bytes in MiB, or in GiB from 10 GiB.
func megabytes(n uint64) string {
	if n >= 10<<30 {
		return fmt.Sprintf("%d GiB", n>>30)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}
