package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// ErrNoKeyset reports that no secret has been stored yet.
var ErrNoKeyset = errors.New("no keyset yet")

func (e *examination) database(ctx context.Context) {
	const code, name = "D004", "database"
	what := databaseName(e.Config)
	s, err := e.Parts.Store(ctx)
	if err == nil {
		err = s.Ping(ctx)
		e.store = s
	}
	var facts string
	if err == nil {
		f, ferr := s.Facts(ctx)
		if err = ferr; err == nil {
			facts = f.Engine + " " + f.Version
		}
	}
	if db, derr := e.Config.Database(); derr == nil && db.Path != "" && errors.Is(err, fs.ErrNotExist) {
		e.add(code, name, Skip, what+" does not exist yet; the first start makes it", "")
		return
	}
	if err != nil {
		if e.store != nil {
			_ = e.store.Close()
			e.store = nil
		}
		e.add(code, name, Fail, fmt.Sprintf("%s cannot be used: %s", what, clip.Line(err.Error())),
			"Start the database and check ASSAY_DATABASE_URL: host, port, account, password, TLS. The folder and the file of an embedded "+
				"one must be writable for the account that runs assay.")
		return
	}
	e.add(code, name, OK, what+" answers, "+facts, "")
}

// skipped adds a skipped check and returns true if the database or its schema is missing.
func (e *examination) skipped(code, name string) bool {
	if e.store == nil {
		e.add(code, name, Skip, "the database cannot be used", "")
		return true
	}
	if !e.loaded && code != "D005" && code != "D006" && code != "D008" {
		e.add(code, name, Skip, "the schema is missing", "")
		return true
	}
	return false
}

func (e *examination) schema(ctx context.Context) {
	const code, name = "D005", "schema"
	if e.skipped(code, name) {
		return
	}
	st, err := e.store.Schema(ctx)
	switch {
	case err != nil:
		e.add(code, name, Fail, "the state of the schema cannot be read: "+clip.Line(err.Error()),
			"The account needs the right to read all tables of the database.")
	case st.Current == 0:
		e.add(code, name, Fail, "the database is empty", "Run `assay migrate` (assay serve does it by itself).")
	case st.Current < st.Newest:
		e.add(code, name, Fail, fmt.Sprintf("the schema is at step %d of %d", st.Current, st.Newest), "Run `assay migrate`.")
	default:
		e.loaded = true
		if err := e.store.CheckVersion(ctx, e.Version); err != nil {
			e.add(code, name, Fail, clip.Line(err.Error()), "Install that version or a newer one.")
			return
		}
		e.add(code, name, OK, fmt.Sprintf("up to date, step %d", st.Current), "")
	}
}

func (e *examination) durability(ctx context.Context) {
	const code, name = "D006", "durability"
	if e.skipped(code, name) {
		return
	}
	f, err := e.store.Facts(ctx)
	if err != nil {
		e.add(code, name, Fail, "the settings of the database cannot be read: "+clip.Line(err.Error()), "See D004.")
		return
	}
	var good, bad, fixes []string
	for _, s := range f.Settings {
		text := s.Name + " = " + s.Value
		if s.OK {
			good = append(good, text)
			continue
		}
		bad, fixes = append(bad, text), append(fixes, s.Fix)
	}
	if len(bad) > 0 {
		e.add(code, name, Fail, strings.Join(bad, ", "), strings.Join(fixes, " "))
		return
	}
	e.add(code, name, OK, strings.Join(good, ", "), "")
}

func (e *examination) keyset(ctx context.Context) {
	const code, name = "D007", "stored secrets"
	if e.skipped(code, name) {
		return
	}
	err := e.Parts.Keys(ctx, e.store)
	switch {
	case errors.Is(err, ErrNoKeyset):
		e.add(code, name, Skip, "nothing is stored yet", "")
	case err != nil:
		e.add(code, name, Fail, "a process with these instance keys does not work: "+clip.Line(err.Error()),
			"Configure the instance keys that this database is used with, the newest first (ASSAY_INSTANCE_KEY_FILE, or instance.key in "+
				"the data folder); they are beside your backups.")
	default:
		e.keys = true
		e.add(code, name, OK, "the instance key opens them", "")
	}
}

// Bounds of clock differences. GitHub refuses app tokens from about a minute on (GitHub documentation,
// "Generating a JSON Web Token": iat 60 seconds in the past).
const (
	skewWarn = 2 * time.Second
	skewFail = 30 * time.Second
)

func (e *examination) clock(ctx context.Context) {
	const code, name = "D008", "clock"
	if e.skipped(code, name) {
		return
	}
	before := e.Now()
	f, err := e.store.Facts(ctx)
	after := e.Now()
	if err != nil {
		e.add(code, name, Fail, "the clock of the database cannot be read: "+clip.Line(err.Error()), "See D004.")
		return
	}
	at := time.UnixMicro(f.NowUS)
	skew := max(before.Sub(at), at.Sub(after), 0)
	message := fmt.Sprintf("this machine and the database differ by %v", skew.Round(time.Millisecond))
	const fix = "Synchronise both clocks (NTP). Code hosts refuse the app's tokens when the clock is off by a minute."
	switch {
	case skew >= skewFail:
		e.add(code, name, Fail, message, fix)
	case skew >= skewWarn:
		e.add(code, name, Warn, message, fix)
	default:
		e.add(code, name, OK, message, "")
	}
}

func (e *examination) deadLetters(ctx context.Context) {
	const code, name = "D016", "dead letters"
	if e.skipped(code, name) {
		return
	}
	lanes, err := e.store.LaneStates(ctx)
	if err != nil {
		e.add(code, name, Fail, "the backlog cannot be read: "+clip.Line(err.Error()), "See D004.")
		return
	}
	var dead, queued, running int64
	var oldest time.Duration
	for _, l := range lanes {
		dead, queued, running = dead+l.Dead, queued+l.Queued, running+l.Running
		oldest = max(oldest, time.Duration(l.OldestDueUS)*time.Microsecond)
	}
	backlog := fmt.Sprintf("%d jobs wait, %d run", queued, running)
	switch {
	case dead > 0:
		e.add(code, name, Warn, fmt.Sprintf("%d jobs were given up; %s", dead, backlog),
			"Run `assay jobs list --dead`, then redrive or discard them.")
	case oldest > lag:
		e.add(code, name, Warn, fmt.Sprintf("none, but the oldest job waits for %v; %s", oldest.Round(time.Second), backlog),
			"Start a worker, or more of them.")
	default:
		e.add(code, name, OK, "none; "+backlog, "")
	}
}

// lag is how long a due job may wait before the check warns. Reviews must start within 60 s.
const lag = time.Minute

// alive is the maximum age of a live worker's last heartbeat.
const alive = time.Minute

func (e *examination) workers(ctx context.Context) {
	const code, name = "D017", "workers"
	if e.skipped(code, name) {
		return
	}
	n, err := e.store.LiveWorkers(ctx, alive)
	switch {
	case err != nil:
		e.add(code, name, Fail, "the workers cannot be counted: "+clip.Line(err.Error()), "See D004.")
	case n == 0:
		e.add(code, name, Warn, "no worker was seen in the last minute", "Start `assay serve`, or `assay worker`.")
	default:
		e.add(code, name, OK, fmt.Sprintf("%d alive", n), "")
	}
}

// placed counts installations by state.
func placed(all []store.Installation) map[domain.InstallationState]int {
	out := map[domain.InstallationState]int{}
	for _, i := range all {
		out[i.State]++
	}
	return out
}
