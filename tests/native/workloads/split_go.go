// SPDX-License-Identifier: GPL-2.0-or-later

// A profile of Go known by construction: 60 % of the time in a method, 40 % in one that is called
// by an interface.
//
//	split_go SECONDS	runs for that much CPU time
package main

import (
	"math"
	"math/rand"
	"os"
	"strconv"
	"syscall"
)

// Square roots of square roots, as tests/vm/workloads/spin.h: each waits for the one before, so
// that where the loop stands does not matter.
func spin(iterations uint64) float64 {
	value := 3.0
	for ; iterations > 0; iterations-- {
		value = math.Sqrt(math.Sqrt(math.Sqrt(math.Sqrt(value))))
	}
	return value
}

type light interface {
	Light(iterations uint64) float64
}

type worker struct{}

//go:noinline
func (worker) Heavy(iterations uint64) float64 { return spin(iterations) }

//go:noinline
func (*worker) Light(iterations uint64) float64 { return spin(iterations) }

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func main() {
	if len(os.Args) != 2 {
		os.Exit(2)
	}
	seconds, err := strconv.ParseFloat(os.Args[1], 64)
	if err != nil || seconds <= 0 {
		os.Exit(2)
	}
	var own worker
	var byTable light = &own
	for cpuSeconds() < seconds {
		part := 500 + uint64(rand.Intn(1000))
		own.Heavy(6 * part)
		byTable.Light(4 * part)
	}
}
