package dialect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// busy_timeout comes before journal_mode, because switching to WAL needs a lock. synchronous is FULL,
// because NORMAL can lose the last commits at power loss
// (https://www.sqlite.org/pragma.html#pragma_synchronous), and acknowledged deliveries must not be lost.
const pragmas = "_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)" +
	"&_pragma=foreign_keys(1)&_pragma=cache_size(-16000)"

func openSQLite(ctx context.Context, path string, beside bool) (*DB, error) {
	if path == "" {
		return nil, errors.New("the path of the SQLite file is empty")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	lock, err := openLock(abs, beside)
	if err != nil {
		return nil, err
	}
	db := &DB{Name: SQLite, closer: lock, rules: rules{
		// unixepoch('subsec') is stable within one statement and has milliseconds
		// (https://www.sqlite.org/lang_datefunc.html).
		replacer: strings.NewReplacer("{now}", "CAST(unixepoch('subsec')*1000000 AS INTEGER)", "{forupdate}", "", "{forshare}", ""),
		unique: func(err error) bool {
			return hasCode(err, sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY)
		},
		foreign: func(err error) bool { return hasCode(err, sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY) },
		down: func(err error) bool {
			return hasCode(err, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR) || sqliteBusy(err)
		},
		unwritable: func(err error) bool {
			return hasCode(err, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR)
		},
		busy: sqliteBusy,
	}}
	file := (&url.URL{Scheme: "file", Path: abs}).String()
	if db.Write, err = openKept("sqlite", file+"?_txlock=immediate&"+pragmas); err == nil {
		db.Read, err = openKept("sqlite", file+"?_pragma=query_only(1)&"+pragmas)
	}
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	db.Write.SetMaxOpenConns(1)
	db.Write.SetConnMaxLifetime(0)
	readers := max(4, runtime.NumCPU()*2)
	db.Read.SetMaxOpenConns(readers)
	db.Read.SetMaxIdleConns(readers) // a new connection reads the whole schema and has no prepared statements
	if err := db.Write.PingContext(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the SQLite file %s: %w", abs, err), db.Close())
	}
	return db, nil
}

func sqliteBusy(err error) bool {
	return hasCode(err, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
}

// hasCode reports whether err has one of the codes. A code without an extension also matches the primary
// part of the error's code.
func hasCode(err error, codes ...int) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	for _, c := range codes {
		if e.Code() == c || (c < 256 && e.Code()&0xff == c) {
			return true
		}
	}
	return false
}

// openLock creates the folder and takes the file lock. With beside, it only checks that the file exists.
func openLock(path string, beside bool) (io.Closer, error) {
	if beside {
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("there is no database yet: start assay serve, run assay migrate, or set ASSAY_DATA_DIR to its folder (%w)", err)
		}
		return io.NopCloser(nil), nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the folder of the SQLite file: %w", err)
	}
	return lockFile(path + ".lock")
}

// Wait for a lock of another process, and the interval between attempts (design choices). The wait is
// needed because a process that was killed while starting git leaves its lock to that child until the child
// executes its own program.
const (
	lockWait = 2 * time.Second
	lockStep = 50 * time.Millisecond
)

// lockFile takes an exclusive lock that ends with the process.
func lockFile(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the SQLite file: %w", err)
	}
	for until := time.Now().Add(lockWait); ; time.Sleep(lockStep) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case err == nil:
			return f, nil
		case errors.Is(err, syscall.EWOULDBLOCK) && time.Now().Before(until):
			continue
		}
		_ = f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, &LockedError{Path: strings.TrimSuffix(path, ".lock")}
		}
		return nil, fmt.Errorf("lock the SQLite file: %w", err)
	}
}

// LockedError means that another process uses the SQLite file.
type LockedError struct{ Path string }

// Error returns the remedy.
func (e *LockedError) Error() string {
	return "another assay process uses " + e.Path + "; stop it first, choose another ASSAY_DATA_DIR, or set ASSAY_DATABASE_URL to a " +
		"PostgreSQL database to run several processes"
}
