package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	// measureCommand is the first argument with which go test starts this program in front of each test
	// binary.
	measureCommand = "measure"
	// timesEnv names the file to which each measurement is added as a line of JSON.
	timesEnv = "ASSAY_SUITE_TIMES"
)

// usage is the time that the tests of a package took, including child processes that they waited for.
type usage struct {
	Package string // its folder in the module
	Wall    time.Duration
	CPU     time.Duration
}

// measure runs a test binary, records its time, and returns its exit code. Signals are forwarded to the
// binary, which prints its goroutines at SIGQUIT.
func measure(args []string) int {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGQUIT, os.Interrupt, syscall.SIGTERM)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	began := time.Now()
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		return 2
	}
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s) // it may have ended
		}
	}()
	err := cmd.Wait()
	if noteErr := note(usage{Wall: time.Since(began), CPU: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}); noteErr != nil {
		fmt.Fprintln(os.Stderr, "suite: the time of a package is not noted:", noteErr)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return max(exit.ExitCode(), 1)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		return 2
	}
	return 0
}

// note records a measurement of the package in the current folder.
func note(u usage) error {
	path := os.Getenv(timesEnv)
	if path == "" {
		return nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if u.Package, err = inModule(dir); err != nil {
		return err
	}
	line, err := json.Marshal(u)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n')) // one write, because packages end at the same time
	return errors.Join(err, f.Close())
}

// inModule returns the path of a folder from the module's root.
func inModule(dir string) (string, error) {
	for root := dir; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			rel, err := filepath.Rel(root, dir)
			return filepath.ToSlash(rel), err
		}
		if root == filepath.Dir(root) {
			return "", fmt.Errorf("%s is in no module", dir)
		}
	}
}

func readTimes(path string) (map[string]usage, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it is only read
	out := map[string]usage{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var u usage
		if err := json.NewDecoder(strings.NewReader(lines.Text())).Decode(&u); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out[u.Package] = u
	}
	return out, lines.Err()
}
