// SPDX-License-Identifier: GPL-2.0-or-later
/* The work of oppush: see service.h. */
#include "service.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "pp/formats/store/http.h"
#include "send.h"
#include "spool.h"

/* Between two looks for closed sessions. */
#define LOOK_SECONDS 10
/* After the first failure, and at most. */
#define BACK_OFF_SECONDS 5
#define BACK_OFF_MOST	 600

struct service {
	const struct request *request;
	struct spool spool;
	struct store_http *http;
	double due;	 /* by the clock that goes on: when to send what waits */
	double back_off; /* seconds; 0: the server works */
	sigset_t signals;
};

static double now_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Return: whether a signal came that ends it. */
static bool wait_seconds(const struct service *service, double seconds)
{
	const struct timespec time = {(time_t)seconds, (long)((seconds - (long)seconds) * 1e9)};

	return sigtimedwait(&service->signals, NULL, &time) > 0;
}

/* From 0 to 1, as all hosts of a fleet close their sessions at one time. */
static double chance(void)
{
	uint32_t number = 0;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		number = (uint32_t)clock();
	return (double)number / UINT32_MAX;
}

/* Sends what waits, up to the first failure.  Return: 0, or -1 with @error set. */
static int send_all(struct service *service, struct op_error *error)
{
	char *path;
	int result = 0;

	while (!result && (path = spool_first(&service->spool))) {
		result = send_file(service->http, path, NULL, error);
		/* a file that is none would stay for ever */
		if (result && (error->code == EINVAL || error->code == ENOENT)) {
			op_warn("%s", error->text);
			result = 0;
		}
		if (!result)
			result = spool_remove_first(&service->spool, error);
		free(path);
	}
	return result;
}

/* Sends what waits, or puts it off. */
static void send_due(struct service *service)
{
	struct op_error why;

	if (!send_all(service, &why)) {
		service->back_off = 0;
		return;
	}
	if (service->back_off <= 0)
		op_warn("%s; it is tried again", why.text);
	service->back_off = service->back_off <= 0 ? BACK_OFF_SECONDS : 2 * service->back_off;
	if (service->back_off > BACK_OFF_MOST)
		service->back_off = BACK_OFF_MOST;
	service->due = now_seconds() + service->back_off * (0.5 + chance() / 2);
}

/* One round.  Return: 0, or -1 with @error set: it cannot go on. */
static int work(struct service *service, struct op_error *error)
{
	int taken = spool_take(&service->spool, error);

	if (taken < 0)
		return -1;
	if (taken && service->back_off <= 0)
		service->due = now_seconds() + chance() * (double)service->request->jitter;
	if (service->spool.names.count && now_seconds() >= service->due)
		send_due(service);
	return 0;
}

/* Sessions are taken whether the server works or not: their images may go. */
static double time_to_wait(const struct service *service)
{
	double left = service->due - now_seconds();

	if (!service->spool.names.count || left > LOOK_SECONDS)
		return LOOK_SECONDS;
	return left > 0 ? left : 0;
}

static int run_once(struct service *service, struct op_error *error)
{
	if (spool_take(&service->spool, error) < 0 || send_all(service, error))
		return -1;
	return service->spool.n_failures
		       ? op_error_set(error, EIO, "%zu sessions could not be read",
				      service->spool.n_failures)
		       : 0;
}

static int run_on(struct service *service, struct op_error *error)
{
	do {
		if (work(service, error))
			return -1;
	} while (!wait_seconds(service, time_to_wait(service)));
	return 0;
}

int service_run(const struct request *request, struct op_error *error)
{
	struct service service = {.request = request};
	int result = spool_open(&service.spool, request->spool, request->session_dir,
				request->spool_mib << 20, error);

	if (!result)
		service.http = store_http_open(&request->url, error);
	if (!result && !service.http)
		result = -1;
	sigemptyset(&service.signals);
	sigaddset(&service.signals, SIGTERM);
	sigaddset(&service.signals, SIGINT);
	if (!result && !request->once) {
		sigprocmask(SIG_BLOCK, &service.signals, NULL);
		result = run_on(&service, error);
	} else if (!result) {
		result = run_once(&service, error);
	}
	store_http_close(service.http);
	spool_close(&service.spool);
	return result;
}
