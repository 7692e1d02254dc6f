// Command load sends signed webhook deliveries to an assay on this machine at
// scheduled times and reports latencies, in Markdown.
//
// It is an open-model generator: requests are due at fixed times whether or
// not earlier ones were answered, and latency counts from the due time, so
// that a stall of the server is not hidden (coordinated omission). A refused,
// failed or timed-out request counts as infinitely slow. It speaks to loopback
// addresses only. Assertions about figures do not live here: a figure belongs
// to a machine and a date, and goes into docs/performance/service.md.
//
//	go run ./test/load -rate 50 -duration 60s -connections 20 -size 16384 \
//	    -url http://127.0.0.1:8080/webhooks/codehost -secret-file secret -fsync-dir /var/lib/assay
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// config holds the flags of one run.
type config struct {
	rate         float64
	duration     time.Duration
	connections  int
	size         int
	duplicates   float64
	timeout      time.Duration
	url          string
	secret       []byte
	installation int64
	repositories int
	seed         string
	fsyncDir     string
}

// These bounds keep a mistyped flag from filling memory or disk.
const (
	maxTotal       = 5_000_000
	maxConnections = 2_000
	maxSize        = 25 << 20 // the limit for webhook bodies
)

// total is the number of requests of the run.
func (c config) total() int { return int(c.rate * c.duration.Seconds()) }

func parse(args []string, out io.Writer) (config, error) {
	var c config
	var secretFile string
	f := flag.NewFlagSet("load", flag.ContinueOnError)
	f.SetOutput(out)
	f.Float64Var(&c.rate, "rate", 50, "deliveries per second")
	f.DurationVar(&c.duration, "duration", time.Minute, "how long deliveries are due")
	f.IntVar(&c.connections, "connections", 20, "most connections at once")
	f.IntVar(&c.size, "size", 16<<10, "bytes of one body")
	f.Float64Var(&c.duplicates, "duplicates", 0.01, "share of deliveries that repeat an earlier one")
	f.DurationVar(&c.timeout, "timeout", 10*time.Second, "bound of one request; GitHub waits 10 s")
	f.StringVar(&c.url, "url", "", "webhook address on this machine, for example http://127.0.0.1:8080/webhooks/codehost")
	f.StringVar(&secretFile, "secret-file", "", "file with the webhook secret")
	f.Int64Var(&c.installation, "installation", 1, "installation id in the payload")
	f.IntVar(&c.repositories, "repositories", 10, "number of repositories the deliveries are spread over")
	f.StringVar(&c.seed, "seed", "", "makes ids repeatable; default: random, so that two runs share no id")
	f.StringVar(&c.fsyncDir, "fsync-dir", "", "measure the disk of this folder before and after")
	if err := f.Parse(args); err != nil {
		return c, err
	}
	if f.NArg() > 0 {
		return c, fmt.Errorf("unexpected argument after the flags")
	}
	if c.seed == "" {
		c.seed = rand.Text()
	}
	if err := c.check(); err != nil {
		return c, err
	}
	if secretFile == "" {
		return c, errors.New("-secret-file is missing: deliveries must be signed")
	}
	b, err := os.ReadFile(secretFile)
	if err != nil {
		return c, fmt.Errorf("-secret-file: %w", err)
	}
	if c.secret = bytes.TrimRight(b, "\r\n"); len(c.secret) == 0 {
		return c, errors.New("-secret-file is empty")
	}
	return c, nil
}

func (c config) check() error {
	switch {
	case !(c.rate > 0) || c.duration <= 0:
		return errors.New("-rate and -duration must be above zero")
	case c.rate*c.duration.Seconds() > maxTotal:
		return fmt.Errorf("-rate times -duration is above %d deliveries", maxTotal)
	case c.total() < 1:
		return errors.New("-rate times -duration is less than one delivery")
	case c.connections < 1 || c.connections > maxConnections:
		return fmt.Errorf("-connections must be 1 to %d", maxConnections)
	case c.size > maxSize:
		return fmt.Errorf("-size is at most %d", maxSize)
	case !(c.duplicates >= 0 && c.duplicates <= 0.5):
		return errors.New("-duplicates must be 0 to 0.5")
	case c.timeout <= 0 || c.timeout > time.Minute:
		return errors.New("-timeout must be above 0 and at most 1m")
	case c.repositories < 1:
		return errors.New("-repositories must be above zero")
	}
	u, err := url.Parse(c.url)
	if err != nil || u.Scheme != "http" || u.User != nil || !loopback(u.Hostname()) {
		return errors.New("-url must be an http address on this machine: 127.0.0.1, ::1 or localhost")
	}
	if least := len(newDelivery(c, 0).body); c.size < least {
		return fmt.Errorf("-size must be at least %d, the payload without padding", least)
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func run(ctx context.Context, args []string, out io.Writer) error {
	c, err := parse(args, out)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d deliveries, seed %s\n\n", c.total(), c.seed)
	var disks []disk
	measure := func(when string) error {
		if c.fsyncDir == "" {
			return nil
		}
		d, err := measureDisk(ctx, c.fsyncDir, when)
		disks = append(disks, d)
		return err
	}
	if err := measure("before"); err != nil {
		return fmt.Errorf("-fsync-dir: %w", err)
	}
	results := send(ctx, c)
	if ctx.Err() == nil {
		if err := measure("after"); err != nil {
			return fmt.Errorf("-fsync-dir: %w", err)
		}
	}
	r := summarise(c, results)
	r.write(out, disks)
	switch {
	case ctx.Err() != nil:
		return errors.New("interrupted: the figures cover what was sent until then")
	case r.failed > 0:
		return fmt.Errorf("%d of %d deliveries were not accepted", r.failed, r.sent)
	}
	return nil
}
