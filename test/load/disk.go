package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"
)

// These bound the baseline of the disk: small appends, each waited for, as a commit does.
const (
	diskBlock = 200
	diskTime  = 2 * time.Second
	diskMost  = 200_000 // writes, 40 MB
)

// disk is one measurement.
type disk struct {
	when          string
	perSecond     float64
	p50, p99, max time.Duration
}

// measureDisk appends blocks to a temporary file in dir and waits for the disk
// after each.
func measureDisk(ctx context.Context, dir, when string) (d disk, err error) {
	f, err := os.CreateTemp(dir, "load-fsync-")
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	block := make([]byte, diskBlock)
	var times []time.Duration
	start := time.Now()
	for time.Since(start) < diskTime && len(times) < diskMost && ctx.Err() == nil {
		t := time.Now()
		if _, err := f.Write(block); err != nil {
			return d, err
		}
		if err := syncFile(f); err != nil {
			return d, err
		}
		times = append(times, time.Since(t))
	}
	took := time.Since(start)
	slices.Sort(times)
	return disk{
		when: when, perSecond: float64(len(times)) / took.Seconds(),
		p50: percentile(times, 50), p99: percentile(times, 99), max: percentile(times, 100),
	}, nil
}
