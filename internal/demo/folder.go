package demo

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/secret"
)

// folder makes the data folder of a demo and locks it against a second demo. It empties the folder unless keep
// is set.
func folder(dir string, keep bool) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	lock, err := os.OpenFile(dir+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data folder of the demo: %w", err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("another demo uses %s: stop it first, or choose another ASSAY_DATA_DIR", dir)
		}
		return nil, fmt.Errorf("lock the data folder of the demo: %w", err)
	}
	if !keep {
		err = os.RemoveAll(dir)
	}
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		_ = lock.Close()
		return nil, fmt.Errorf("make the data folder of the demo: %w", err)
	}
	return lock, nil
}

// folderOf returns the data folder of a host's demo.
func folderOf(kind domain.ConnectionKind) string {
	if kind == codehost.GitHub {
		return "demo"
	}
	return "demo-" + string(kind)
}

// lastAddress returns the last address of a simulator, or a free port for a new one.
func lastAddress(file string) string {
	raw, err := os.ReadFile(file)
	if _, _, serr := net.SplitHostPort(string(raw)); err != nil || serr != nil {
		return "127.0.0.1:0"
	}
	return string(raw)
}

func keepAddress(file, base string) error {
	u, err := url.Parse(base)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(u.Host), 0o600)
}

// webhookSecret returns the secret of the simulated app's webhook, and makes it if it is absent.
func webhookSecret(path string) (secret.Secret, error) {
	raw, err := os.ReadFile(path)
	if err == nil && len(strings.TrimSpace(string(raw))) > 0 {
		return secret.New(strings.TrimSpace(string(raw))), nil
	}
	s := secret.New(rand.Text() + rand.Text())
	return s, os.WriteFile(path, []byte(s.Reveal()+"\n"), 0o600)
}
